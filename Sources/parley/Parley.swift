import Arguments
import Secure
import System

/// The program. What it does is told by `ParleyCommand` and the commands below it.
@main
enum Parley {
    static func main() {
        // A reader of our output that has gone, as in `parley help | head`, is an error of that write, not our end.
        Signal.brokenPipe.ignore()
        // So is a file that may not grow further.
        Signal.fileTooLarge.ignore()
        // Before anything else that OpenSSL is asked for.
        HandshakeBuffer.install()
        CurrentProcess.exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
