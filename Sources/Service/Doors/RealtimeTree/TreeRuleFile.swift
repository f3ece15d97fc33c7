internal import Journal
internal import Reactor
internal import RealtimeTree
internal import System

/// Looks whether the file of rules says something else by now. Rules that are none change nothing. Lives on the home loop.
final class TreeRuleFile {
    private let path: String
    private var text: [UInt8]?
    private let reactor: Reactor
    private let journal: Journal
    private let changed: (TreeRules) -> Void

    private static let lookEvery = Duration.seconds(2)
    private static let maximumBytes = 1 << 20

    init(_ path: String, on reactor: Reactor, _ journal: Journal, _ changed: @escaping (TreeRules) -> Void) {
        self.path = path
        self.reactor = reactor
        self.journal = journal
        self.changed = changed
        self.text = self.read()
        self.wait()
    }

    private func wait() {
        _ = self.reactor.schedule(after: Self.lookEvery) { [weak self] in
            self?.look()
            self?.wait()
        }
    }

    private func read() -> [UInt8]? {
        try? FileHandle(self.path, for: .reading).contents(maximum: Self.maximumBytes + 1)
    }

    private func look() {
        // One that is just being replaced is there again the next time.
        guard let text = self.read(), text != self.text else { return }
        self.text = text
        do throws(RuleFault) {
            self.changed(try TreeRules(String(decoding: text, as: UTF8.self)))
            self.journal.notice(.treeRulesRead, "the rules of the tree were read anew")
        } catch {
            self.journal.error(
                .treeRulesNotRead, "the rules of the tree make no sense; the old ones stay",
                [.reason: .plain(error.description)])
        }
    }
}

extension LogName {
    static let treeRulesRead = LogName("tree.rules_read")
    static let treeRulesNotRead = LogName("tree.rules_not_read")
}
