import System
import Voice

/// One bar for all files at once, with speed and time left. It is drawn on the error stream, and only
/// where a person looks; in a pipe there is nothing but results.
final class VoiceProgressBar: Sendable {
    private struct State {
        var bytes = 0
        var seconds = 0.0
        var files = 0
        var lastDrawn: ContinuousClock.Instant?
        var isShown = false
    }

    private static let interval = Duration.milliseconds(100)

    private let state = Locked(State())
    private let totalBytes: Int
    private let fileCount: Int
    private let isInteractive: Bool
    private let start = ContinuousClock.now

    init(inputs: [String]) {
        self.fileCount = inputs.count
        self.isInteractive = FileDescriptor.standardError.isTerminal
        self.totalBytes = inputs.reduce(0) { $0 + Self.size(of: $1) }
    }

    private static func size(of path: String) -> Int {
        path == "-" ? 0 : FileStatus(of: path)?.size ?? 0
    }

    func moved(by progress: Progress) {
        guard self.isInteractive else { return }
        self.state.withLock { state in
            state.bytes += progress.bytes
            state.seconds += progress.seconds
            let now = ContinuousClock.now
            if let last = state.lastDrawn, now - last < Self.interval { return }
            state.lastDrawn = now
            self.draw(&state, now: now)
        }
    }

    /// A file is done: its line goes above the bar.
    func finished(line: String?, warning: String?) {
        self.state.withLock { state in
            state.files += 1
            self.clear(&state)
            if let warning { Terminal.complain(warning) }
            if let line { print(line) }
            CurrentProcess.flushOutput()
        }
    }

    func end() {
        self.state.withLock { self.clear(&$0) }
    }

    private func clear(_ state: inout State) {
        guard state.isShown else { return }
        FileDescriptor.standardError.print("\r\u{1B}[K")
        state.isShown = false
    }

    private func draw(_ state: inout State, now: ContinuousClock.Instant) {
        let elapsed = max(0.001, (now - self.start) / .seconds(1))
        let columns = max(20, FileDescriptor.standardError.columns ?? 80)
        let line = Self.line(
            share: self.totalBytes > 0 ? min(1, Double(state.bytes) / Double(self.totalBytes)) : nil,
            files: (state.files, self.fileCount), speed: state.seconds / elapsed, elapsed: elapsed, columns: columns)
        FileDescriptor.standardError.print("\r\(line)\u{1B}[K")
        state.isShown = true
    }

    /// `[█████     ]  52 %  3/10 files  148× real time  0:41 left`
    static func line(
        share: Double?, files: (done: Int, of: Int), speed: Double, elapsed: Double, columns: Int
    ) -> String {
        var words = files.of > 1 ? "  \(files.done)/\(files.of) files" : ""
        words += "  \(speed.fixed(speed < 10 ? 1 : 0))× real time"
        guard let share else { return String(words.dropFirst(2).prefix(columns - 1)) }
        if share > 0.02 { words += "  \(Self.clock(elapsed * (1 - share) / share)) left" }
        let percent = "\(Int(share * 100))"
        words = "  \(String(repeating: " ", count: 3 - percent.count))\(percent) %" + words
        let width = min(40, columns - words.count - 3)
        guard width >= 5 else { return String(words.dropFirst(2).prefix(columns - 1)) }
        let full = Int((share * Double(width)).rounded(.down))
        return "[\(String(repeating: "█", count: full))\(String(repeating: " ", count: width - full))]\(words)"
    }

    static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 359_999).rounded(.up))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = rest < 10 ? "0\(rest)" : "\(rest)"
        guard hours > 0 else { return "\(minutes):\(tail)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
    }
}
