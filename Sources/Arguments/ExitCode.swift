/// What a command tells the shell when it ends.
package struct ExitCode: RawRepresentable, Hashable, Sendable, Error {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let success = ExitCode(rawValue: 0)
    package static let failure = ExitCode(rawValue: 1)

    // Where `sysexits.h` has a word for it, its number is used.

    /// The command line, the environment or the configuration file is wrong.
    package static let usage = ExitCode(rawValue: 64)
    /// The input data is malformed.
    package static let dataError = ExitCode(rawValue: 65)
    /// A file that was named cannot be read.
    package static let noInput = ExitCode(rawValue: 66)
    /// A server that is needed does not answer.
    package static let unavailable = ExitCode(rawValue: 69)
    /// A fault of the program itself.
    package static let software = ExitCode(rawValue: 70)
    /// The system refused something: a port, a descriptor, memory.
    package static let osError = ExitCode(rawValue: 71)
    /// A file cannot be written.
    package static let cannotCreate = ExitCode(rawValue: 73)
    /// Reading or writing failed on the way.
    package static let ioError = ExitCode(rawValue: 74)
    /// It may work later.
    package static let temporaryFailure = ExitCode(rawValue: 75)
    package static let noPermission = ExitCode(rawValue: 77)
}

/// A command could not do its work: one line for the person, a number for the shell.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let exitCode: ExitCode

    package init(_ description: String, exitCode: ExitCode = .failure) {
        self.description = description
        self.exitCode = exitCode
    }
}
