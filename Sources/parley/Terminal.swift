import CTerminal
import Journal

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The screen the program writes to, if there is one.
enum Terminal {
    /// How wide help may be; text in very long lines is hard to read.
    static var columns: Int {
        let columns = Int(parley_terminal_columns(STDOUT_FILENO))
        return columns > 0 ? min(columns, 100) : 80
    }

    /// Whether a person reads what is printed.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Colours help a person who did not forbid them (no-color.org).
    static var wantsColours: Bool {
        LineSink.isTerminal() && ProcessEnvironment.variables["NO_COLOR", default: ""].isEmpty
    }

    /// Prints a line that the reader of a pipe waits for.
    static func print(_ text: String) {
        // Past the buffers: to empty those of all files would wait for whoever reads standard input.
        var line = text + "\n"
        line.withUTF8 { bytes in _ = unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count) }
    }

    /// Says something on the error stream.
    static func complain(_ text: String) {
        var line = text + "\n"
        // Nobody is left to hear of it when this fails.
        line.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}
