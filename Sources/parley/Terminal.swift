import System
import Journal
import Vocabulary

/// The screen the program writes to, if there is one.
enum Terminal {
    /// How wide help may be; text in very long lines is hard to read.
    static var columns: Int {
        let columns = FileDescriptor.standardOutput.columns ?? Int(ProcessEnvironment.variables["COLUMNS", default: ""])
        return columns.map { min(max($0, 40), 120) } ?? 80
    }

    /// Whether a person reads what is printed.
    static var isInteractive: Bool { FileDescriptor.standardOutput.isTerminal }

    /// Colours help a person who did not forbid them (no-color.org).
    static var wantsColours: Bool {
        FileDescriptor.standardError.isTerminal && ProcessEnvironment.variables["NO_COLOR", default: ""].isEmpty
    }

    /// Prints a line that the reader of a pipe waits for. What a server or a peer said in it steers no terminal.
    static func print(_ text: String) {
        // Past the buffers: to empty those of all files would wait for the reader of standard input.
        FileDescriptor.standardOutput.print("\(PlainText.of(text, keepsLines: true))\n")
    }

    /// Says something on the error stream, where what is wrong is often told in a stranger's words.
    static func complain(_ text: String) {
        FileDescriptor.standardError.print("\(PlainText.of(text, keepsLines: true))\n")
    }
}
