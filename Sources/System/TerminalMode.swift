#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// How a terminal treats keys, changed for a while: it is as before when this ends.
package final class TerminalMode {
    private let descriptor: FileDescriptor
    private var before: termios
    private var isChanged = true

    /// Nil where there is no terminal.
    ///
    /// - Parameters:
    ///   - echoes: what is typed shows.
    ///   - takesLines: what is typed comes line by line, and keys such as Control-C are the system's.
    package init?(_ descriptor: FileDescriptor, echoes: Bool, takesLines: Bool) {
        var mode = termios()
        guard unsafe tcgetattr(descriptor.number, &mode) == 0 else { return nil }
        self.descriptor = descriptor
        self.before = mode
        Self.set(tcflag_t(ECHO), echoes, in: &mode.c_lflag)
        Self.set(tcflag_t(ICANON | ISIG), takesLines, in: &mode.c_lflag)
        guard unsafe tcsetattr(descriptor.number, TCSADRAIN, &mode) == 0 else { return nil }
    }

    deinit { self.restore() }

    package func restore() {
        guard self.isChanged else { return }
        self.isChanged = false
        _ = unsafe tcsetattr(self.descriptor.number, TCSADRAIN, &self.before)
    }

    private static func set(_ flag: tcflag_t, _ isOn: Bool, in flags: inout tcflag_t) {
        if isOn { flags |= flag } else { flags &= ~flag }
    }
}
