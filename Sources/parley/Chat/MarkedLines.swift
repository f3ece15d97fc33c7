import System

/// Lines on a screen, and behind the last one a mark for what is on its way: … until it is there. What comes meanwhile
/// stands before the mark. A pipe gets lines and no mark that comes and goes.
final class MarkedLines: Sendable {
    private struct State {
        var waiting = 0
        var isClosed = false
        var quiet: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let isScreen = Terminal.isInteractive

    /// Takes the mark away, and the line with it.
    private static let erase = "\r\u{1B}[K"

    func print(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        self.state.withLock { self.show(lines, waiting: $0.waiting) }
    }

    /// Something is on its way. False when nothing will ever be heard of it.
    func began() -> Bool {
        self.state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting += 1
            if state.waiting == 1, self.isScreen { FileDescriptor.standardOutput.print("\(ChatText.indent)…") }
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
            if self.isScreen, state.waiting > 0 { FileDescriptor.standardOutput.print(Self.erase) }
            state.waiting = max(0, state.waiting - 1)
            self.show(["\(ChatText.indent)\(line)"], waiting: state.waiting, isErased: true)
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

    private func show(_ lines: [String], waiting: Int, isErased: Bool = false) {
        let mark = self.isScreen && waiting > 0
        FileDescriptor.standardOutput.print((mark && !isErased ? Self.erase : "") + lines.map { "\($0)\n" }.joined())
        if mark { FileDescriptor.standardOutput.print("\(ChatText.indent)…") }
    }
}
