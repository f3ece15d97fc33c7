@main
enum Parley {
    static func main() {
        print("parley")
    }
}
