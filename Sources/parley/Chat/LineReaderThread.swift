import System

/// Reads lines from standard input, which may take for ever, on a thread of its own. It ends with the program.
final class LineReaderThread: Sendable {
    private let line: @Sendable (String) -> Void
    private let ended: @Sendable () -> Void

    init(_ line: @escaping @Sendable (String) -> Void, ended: @escaping @Sendable () -> Void) {
        self.line = line
        self.ended = ended
    }

    func start() {
        let isStarted = Thread.start {
            while let line = readLine() { self.line(line) }
        } atEnd: {
            self.ended()
        }
        if !isStarted { self.ended() }
    }
}
