import System

/// How far a move is, on the error stream, and only where a person looks.
final class MoveProgressBar {
    private static let interval = Duration.milliseconds(100)

    private let isWatched = FileDescriptor.standardError.isTerminal
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?

    func moved(_ done: Int, of total: Int) {
        guard self.isWatched else { return }
        let now = ContinuousClock.now
        if let last = self.lastDrawn, now - last < Self.interval { return }
        self.lastDrawn = now
        let columns = max(20, FileDescriptor.standardError.columns ?? 80)
        let line = Self.line(done, of: total, elapsed: (now - self.start) / .seconds(1), columns: columns)
        FileDescriptor.standardError.print("\r\(line)\u{1B}[K")
    }

    func end() {
        guard self.lastDrawn.take() != nil else { return }
        FileDescriptor.standardError.print("\r\u{1B}[K")
    }

    /// `[█████     ]  52 %  120000 rows/s  0:41 left`; each row is written once and read once more.
    static func line(_ done: Int, of total: Int, elapsed: Double, columns: Int) -> String {
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let percent = "\(Int(share * 100))"
        var words = "  \(String(repeating: " ", count: max(0, 3 - percent.count)))\(percent) %"
        words += "  \((Double(done) / 2 / max(0.001, elapsed)).fixed(0)) rows/s"
        if share > 0.02 { words += "  \(VoiceProgressBar.clock(elapsed * (1 - share) / share)) left" }
        let width = min(40, columns - words.count - 3)
        guard width >= 5 else { return String(words.dropFirst(2).prefix(columns - 1)) }
        let full = Int((share * Double(width)).rounded(.down))
        return "[\(String(repeating: "█", count: full))\(String(repeating: " ", count: width - full))]\(words)"
    }
}
