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
        // A reader of our output that has gone, as in `parley help | head`, is an error of that write, not our end.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that may not grow further.
        signal(SIGXFSZ, SIG_IGN)
        exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
