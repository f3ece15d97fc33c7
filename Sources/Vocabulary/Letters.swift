/// The sets of bytes that names are made of.
enum Letters {
    static let room = table("abcdefghijklmnopqrstuvwxyz0123456789-")
    static let userName = table("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
    static let name = table("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.@:+=")

    /// Whether `text` is 1 to `limit` bytes, all of them from `set`.
    static func fill(_ text: String, upTo limit: Int, with set: [Bool]) -> Bool {
        let letters = text.utf8.span
        guard (1...limit).contains(letters.count) else { return false }
        for index in letters.indices where !set[Int(letters[index])] { return false }
        return true
    }

    private static func table(_ letters: String) -> [Bool] {
        var table = [Bool](repeating: false, count: 256)
        for letter in letters.utf8 { table[Int(letter)] = true }
        return table
    }
}
