import System

/// Reads lines from the terminal key by key, so that the one being typed can be drawn again below what comes meanwhile.
/// The thread that reads ends with the program.
final class LineEditor: Sendable {
    private let lines: MarkedLines
    private let mode: Locked<TerminalMode?>

    /// Nil where there is no terminal on both sides.
    init?(_ lines: MarkedLines) {
        guard Terminal.isInteractive,
            let mode = TerminalMode(.standardInput, echoes: false, takesLines: false)
        else { return nil }
        self.lines = lines
        self.mode = Locked(mode)
    }

    func start(_ line: @escaping @Sendable (String) -> Void, ended: @escaping @Sendable () -> Void) {
        let isStarted = Thread.start {
            self.read(line)
        } atEnd: {
            ended()
        }
        if !isStarted { ended() }
    }

    /// The terminal is as it was before.
    func stop() {
        self.lines.showTyped("", back: 0)
        self.mode.withLock { mode in
            mode?.restore()
            mode = nil
        }
    }

    private func read(_ line: (String) -> Void) {
        var typed = TypedLine()
        var bytes = [UInt8](repeating: 0, count: 1024)
        while let count = try? FileDescriptor.standardInput.read(into: &bytes, at: 0..<1024), count > 0 {
            for byte in bytes.prefix(count) {
                switch typed.received(byte) {
                case .nothing, .changed: break
                case .ended: return
                case .line(let text):
                    self.lines.typed(text)
                    line(text)
                }
            }
            // Room for the mark in front and the cursor behind.
            let shown = typed.shown(columns: (FileDescriptor.standardOutput.columns ?? 80) - 4)
            self.lines.showTyped(shown.text, back: shown.back)
        }
    }
}
