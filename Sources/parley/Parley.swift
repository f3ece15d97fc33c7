import Arguments

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The program. What it does is told by `ParleyCommand` and the commands below it.
@main
enum Parley {
    static func main() {
        exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
