internal import Cluster
internal import Clustering
internal import Journal
internal import Reactor
internal import Vocabulary

/// Writes down what becomes of connections between nodes, and of what cannot be believed no more than once a minute.
final class LinkJournal {
    private let journal: Journal
    private let reactor: Reactor
    private var nextUntrusted = Instant(nanoseconds: 0)
    private var nextRefusal = Instant(nanoseconds: 0)

    private static let pause = Duration.seconds(60)

    init(_ journal: Journal, on reactor: Reactor) {
        self.journal = journal
        self.reactor = reactor
    }

    func note(_ change: NodeLinks.Change) {
        switch change {
        case .up(let node):
            self.journal.info(.nodeLinked, "connected with another node", [.node: .plain(node.text)])
        case .down(let node):
            self.journal.info(
                .nodeUnlinked, "the connection with another node is no more: the database carries what is said",
                [.node: .plain(node.text)])
        case .untrusted(let claimed): self.noteUntrusted(claimed)
        case .refused(let error, let address): self.noteRefusal(error, address)
        }
    }

    private func noteUntrusted(_ claimed: RandomToken?) {
        guard self.reactor.instant >= self.nextUntrusted else { return }
        self.nextUntrusted = self.reactor.instant + Self.pause
        self.journal.warning(
            .nodeUntrusted,
            "another server on this database has another secret or version, and is not believed: copy the file 'secret' of one into the data directories of all",
            claimed.map { [.node: .plain($0.text)] } ?? [:])
    }

    private func noteRefusal(_ error: LinkError, _ address: SocketAddress) {
        guard self.reactor.instant >= self.nextRefusal else { return }
        self.nextRefusal = self.reactor.instant + Self.pause
        self.journal.warning(
            .nodeRefused, "a connection between nodes was refused",
            [.peer: .private("\(address)"), .reason: .plain("\(error)")])
    }
}

extension LogName {
    static let nodeLinked = LogName("node.linked")
    static let nodeUnlinked = LogName("node.unlinked")
    static let nodeUntrusted = LogName("node.untrusted")
    static let nodeRefused = LogName("node.refused")
}
