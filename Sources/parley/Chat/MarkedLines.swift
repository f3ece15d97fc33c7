import System
import Vocabulary

/// Lines on a screen, and below them one that changes: a mark while something is on its way (…), and what is being typed. What
/// comes meanwhile stands above it. A pipe gets lines and nothing that comes and goes.
final class MarkedLines: Sendable {
    private struct State {
        var waiting = 0
        var isClosed = false
        var quiet: [CheckedContinuation<Void, Never>] = []
        /// What is being typed, as it is shown, and how many columns the cursor stands before its end.
        var typed = ""
        var back = 0

        /// The line that changes; empty when there is nothing in it.
        var last: String {
            guard !self.typed.isEmpty else { return self.waiting > 0 ? "\(ChatText.indent)…" : "" }
            return (self.waiting > 0 ? "… " : "") + self.typed + (self.back > 0 ? "\u{1B}[\(self.back)D" : "")
        }
    }

    private let state = Locked(State())
    private let isScreen = Terminal.isInteractive

    /// Takes the last line away.
    private static let erase = "\r\u{1B}[K"

    func print(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        self.state.withLock { self.change(&$0, lines) { _ in } }
    }

    /// A line was typed: it stands where it was typed.
    func typed(_ line: String) {
        self.state.withLock { state in
            self.change(&state, [PlainText.of(line)]) { ($0.typed, $0.back) = ("", 0) }
        }
    }

    func showTyped(_ text: String, back: Int) {
        self.state.withLock { state in
            guard state.typed != text || state.back != back else { return }
            self.change(&state, []) { ($0.typed, $0.back) = (PlainText.of(text), back) }
        }
    }

    /// Something is on its way. False when nothing will ever be heard of it.
    func began() -> Bool {
        self.state.withLock { state in
            guard !state.isClosed else { return false }
            self.change(&state, []) { $0.waiting += 1 }
            return true
        }
    }

    /// Nothing can be said any more.
    var isClosed: Bool { self.state.withLock(\.isClosed) }

    /// Nothing more will be heard of what is on its way.
    func close() {
        let quiet = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isClosed = true
            state.waiting = 0
            defer { state.quiet = [] }
            return state.quiet
        }
        for continuation in quiet { continuation.resume() }
    }

    /// It is there, or it is not.
    func ended(_ line: String) {
        let quiet = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            self.change(&state, ["\(ChatText.indent)\(line)"]) { $0.waiting = max(0, $0.waiting - 1) }
            guard state.waiting == 0 else { return [] }
            defer { state.quiet = [] }
            return state.quiet
        }
        for continuation in quiet { continuation.resume() }
    }

    /// Waits until nothing is on its way.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isQuiet = self.state.withLock { state in
                if state.waiting > 0 { state.quiet.append(continuation) }
                return state.waiting == 0
            }
            if isQuiet { continuation.resume() }
        }
    }

    /// Takes the last line away, prints what is above it, and draws it as it is then.
    private func change(_ state: inout State, _ lines: [String], _ body: (inout State) -> Void) {
        let before = state.last
        body(&state)
        let text = lines.map { "\($0)\n" }.joined()
        guard self.isScreen else { return FileDescriptor.standardOutput.print(text) }
        let after = state.last
        guard !text.isEmpty || before != after else { return }
        FileDescriptor.standardOutput.print((before.isEmpty ? "" : Self.erase) + text + after)
    }
}
