import Arguments
import System

/// A password from a person, who does not see it, or from a pipe: never from the command line, which others may read.
enum PasswordPrompt {
    /// - Parameter isNew: it is asked for twice, so that a slip of the finger is found.
    static func ask(isNew: Bool) throws(CommandFailure) -> String {
        guard FileDescriptor.standardInput.isTerminal else { return try self.checked(readLine()) }
        let password = try self.checked(self.ask("Password: "))
        if isNew, self.ask("Once more: ") != password {
            throw CommandFailure("the two passwords differ", exitCode: .usage)
        }
        return password
    }

    private static func checked(_ password: String?) throws(CommandFailure) -> String {
        guard let password, !password.isEmpty else {
            throw CommandFailure("no password was given; type one, or pipe it in", exitCode: .usage)
        }
        return password
    }

    private static func ask(_ question: String) -> String? {
        let mode = TerminalMode(.standardInput, echoes: false, takesLines: true)
        defer {
            mode?.restore()
            Terminal.complain("")
        }
        FileDescriptor.standardError.print(question)
        return readLine()
    }
}
