import Arguments
import System

/// Whether a command may replace files that are there.
struct OverwritingOptions: ParsableArguments {
    // Not from the environment: there it would be forgotten.
    @Flag(help: "Replace files that are already there.", environment: .none)
    var force = false

    /// Nothing is replaced by accident. Pipes and devices are written to as they are.
    func check(_ paths: String?...) throws(CommandFailure) { try self.check(paths.compactMap(\.self)) }

    func check(_ paths: [String]) throws(CommandFailure) {
        guard !self.force else { return }
        for path in paths where path != "-" && FileStatus(of: path).map({ $0.kind != .other }) == true {
            throw CommandFailure(
                "\(path) already exists; choose another name, or replace it with --force", exitCode: .cannotCreate)
        }
    }

    /// Samples and packed sound are not for a screen.
    static func refuseTerminal(_ option: String) throws(CommandFailure) {
        guard Terminal.isInteractive else { return }
        throw CommandFailure(
            "\(option) would write binary data to the terminal; name a file, or pipe it into another program",
            exitCode: .usage)
    }
}
