import System
import Journal

/// The screen the program writes to, if there is one.
enum Terminal {
    /// How wide help may be; text in very long lines is hard to read.
    static var columns: Int {
        FileDescriptor.standardOutput.columns.map { min($0, 100) } ?? 80
    }

    /// Whether a person reads what is printed.
    static var isInteractive: Bool { FileDescriptor.standardOutput.isTerminal }

    /// Colours help a person who did not forbid them (no-color.org).
    static var wantsColours: Bool {
        FileDescriptor.standardError.isTerminal && ProcessEnvironment.variables["NO_COLOR", default: ""].isEmpty
    }

    /// Prints a line that the reader of a pipe waits for.
    static func print(_ text: String) {
        // Past the buffers: to empty those of all files would wait for the reader of standard input.
        FileDescriptor.standardOutput.print("\(text)\n")
    }

    /// Says something on the error stream.
    static func complain(_ text: String) {
        FileDescriptor.standardError.print("\(text)\n")
    }
}
