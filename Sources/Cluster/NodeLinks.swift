package import Clustering
internal import Hashing
internal import Journal
package import Reactor
package import Vocabulary

/// The ways of one node to each other one: a connection between the two, and PostgreSQL's NOTIFY where there is none. What is said is numbered
/// for each other node, so it comes in order and once whichever way it goes, and is said again when a way breaks.
package final class NodeLinks {
    package enum Change: Sendable {
        case up(RandomToken)
        case down(RandomToken)
        /// Who connected could not prove the secret.
        case refused(LinkError, SocketAddress)
        /// What came by NOTIFY does not prove it, and who it claims to be from.
        case untrusted(RandomToken?)
    }

    /// Opens a connection to a node at this address and calls one of the two, once. Set by who knows HTTP.
    package var dial: (RandomToken, String, Dialing) -> Void = { _, _, dialing in dialing.failed() }
    package var onChange: (Change) -> Void = { _ in }
    var onLetter: ([UInt8]) -> Void = { _ in }
    var onNews: ([NodeNews]) -> Void = { _ in }
    /// Something was lost for good.
    var onGap: () -> Void = {}
    /// The other way; false where it is not there either.
    var notify: ([UInt8], RandomToken) -> Bool = { _, _ in false }
    var hasReached: (LedgerPosition, RandomToken) -> Bool = { _, _ in true }

    package let node: RandomToken
    let seal: NodeSeal
    /// Where this node hears by NOTIFY what is for it alone.
    let channel: String
    private let reactor: Reactor
    let metrics: ClusterMetrics
    private var peers: [RandomToken: Peer] = [:]
    private var random = SecureRandom()
    /// Those that have not proven themselves yet.
    private var unproven: [ObjectIdentifier: LinkConnection] = [:]

    private static let mostUnproven = 32
    private static let mostPeers = 256

    private final class Peer {
        var sendWindow: SendWindow
        var receiveWindow = ReceiveWindow()
        var link: LinkConnection?
        var retry = LinkRetry()
        var isDialing = false
        var timer: TimerToken?

        init(series: UInt64) { self.sendWindow = SendWindow(series: series) }
    }

    /// - Parameter key: that of the cluster.
    package init(of node: RandomToken, key: [UInt8], _ metrics: ClusterMetrics, on reactor: Reactor) {
        self.node = node
        self.seal = NodeSeal(key)
        self.metrics = metrics
        self.reactor = reactor
        self.channel = Self.channel(of: node)
    }

    static func channel(of node: RandomToken) -> String { "parley_\(node.text)" }

    private func peer(_ node: RandomToken) -> Peer {
        if let peer = self.peers[node] { return peer }
        if self.peers.count >= Self.mostPeers { self.forgetOne() }
        let peer = Peer(series: UInt64(clamping: max(1, self.reactor.instant.nanoseconds)))
        self.peers[node] = peer
        return peer
    }

    private func forgetOne() {
        if let old = self.peers.first(where: { $0.value.link == nil }) { self.peers[old.key] = nil }
    }
}

/// What becomes of a connection that is asked for.
package struct Dialing {
    /// Says who handles the stream.
    package let opened: (any ByteStream) -> any StreamHandler
    package let failed: () -> Void
}

// MARK: - Connections

extension NodeLinks {
    /// False when too many are there that have not proven anything.
    package var hasRoom: Bool { self.unproven.count < Self.mostUnproven }

    /// What handles a connection that another node has opened.
    package func accept(_ stream: any ByteStream) -> any StreamHandler {
        self.begin(NodeLink(acceptingAs: self.node, self.seal, nonce: self.random.bytes(16)), stream)
    }

    private func begin(_ machine: NodeLink, _ stream: any ByteStream) -> LinkConnection {
        let link = LinkConnection(machine, over: stream, self)
        self.unproven[ObjectIdentifier(link)] = link
        return link
    }

    /// Every second: opens what is missing, and says on what is there that this node is here.
    func beat(_ addresses: [RandomToken: String?]) {
        for (node, address) in addresses { self.dialIfDue(node, address) }
        for link in self.peers.values.compactMap(\.link) { link.beat() }
    }

    /// Of two nodes the one with the smaller name opens the connection, if it knows where the other one is.
    private func dialIfDue(_ node: RandomToken, _ address: String?) {
        guard let address, node.text > self.node.text else { return }
        let now = self.reactor.instant
        let peer = self.peer(node)
        guard peer.link == nil, !peer.isDialing, peer.retry.isDue(at: now) else { return }
        peer.isDialing = true
        // Until it has shown itself to be of use.
        peer.retry.failed(at: now)
        self.dial(
            node, address,
            Dialing(
                opened: { [unowned self] stream in
                    peer.isDialing = false
                    let nonce = self.random.bytes(16)
                    return self.begin(NodeLink(dialing: node, as: self.node, self.seal, nonce: nonce), stream)
                }, failed: { peer.isDialing = false }))
    }

    func opened(_ link: LinkConnection, to node: RandomToken) {
        self.unproven[ObjectIdentifier(link)] = nil
        let peer = self.peer(node)
        peer.retry.succeeded()
        let former = peer.link
        peer.link = link
        former?.abort()
        self.metrics.links.increment()
        self.acknowledge(over: link)
        self.onChange(.up(node))
    }

    /// What came by NOTIFY does not prove the secret.
    func distrusts(_ claimed: RandomToken?) {
        self.metrics.refused[.notification].increment()
        self.onChange(.untrusted(claimed))
    }

    func refused(_ error: LinkError, by address: SocketAddress) {
        self.metrics.refused[.connection].increment()
        self.onChange(.refused(error, address))
    }

    func ended(_ link: LinkConnection) {
        self.unproven[ObjectIdentifier(link)] = nil
        guard let node = link.peer else { return }
        self.metrics.links.decrement()
        guard let peer = self.peers[node], peer.link === link else { return }
        peer.link = nil
        peer.sendWindow.resend()
        self.onChange(.down(node))
        self.flush(to: node)
    }

    /// The node has said goodbye.
    func forget(_ node: RandomToken) {
        let peer = self.peers.removeValue(forKey: node)
        peer?.timer.map { self.reactor.cancel($0) }
        peer?.link?.close()
    }

    func close() {
        for peer in self.peers.values {
            peer.timer.map { self.reactor.cancel($0) }
            peer.link?.close()
            // What is said from now on goes the other way.
            (peer.link, peer.timer) = (nil, nil)
        }
        for link in self.unproven.values { link.abort() }
        self.dial = { _, _, dialing in dialing.failed() }
    }
}

// MARK: - What is said

extension NodeLinks {
    func isLinked(to node: RandomToken) -> Bool { self.peers[node]?.link.map { $0.isReady && $0.isOpen } ?? false }

    /// By the connection where there is one, else by the other way.
    func send(_ body: [UInt8], _ kind: NodeMessage.Kind, to node: RandomToken, at position: LedgerPosition) {
        self.peer(node).sendWindow.add(body, kind, at: position)
        self.flush(to: node)
    }

    /// The other way is there again.
    func flush() { for node in Array(self.peers.keys) { self.flush(to: node) } }

    private func flush(to node: RandomToken) {
        guard let peer = self.peers[node] else { return }
        guard let link = peer.link else { return self.flushByNotify(peer, node) }
        guard link.isReady else { return }
        for message in peer.sendWindow.takeUnsent() {
            // A connection that takes nothing more ends, and what it did not bring goes the other way.
            guard link.send(message) else { return link.abort() }
            self.metrics.messages[.direct].increment()
        }
    }

    private func flushByNotify(_ peer: Peer, _ node: RandomToken) {
        guard peer.sendWindow.hasUnsent else { return }
        for message in peer.sendWindow.takeUnsent() {
            guard self.notify(message, node) else { return peer.sendWindow.resend() }
            self.metrics.messages[.notify].increment()
        }
    }
}

// MARK: - What is heard

extension NodeLinks {
    func received(_ message: NodeMessage, from node: RandomToken, over link: LinkConnection? = nil) {
        let isNext = self.peer(node).receiveWindow.received(message, at: self.reactor.instant) {
            self.hasReached($0, node)
        }
        if isNext { self.deliver(message) }
        link?.acknowledgeSoon()
        self.deliverWaiting(of: node)
    }

    /// More changes were carried out.
    func advanced() {
        for (node, peer) in self.peers where peer.receiveWindow.deadline != nil { self.deliverWaiting(of: node) }
    }

    private func deliverWaiting(of node: RandomToken) {
        guard let peer = self.peers[node], peer.receiveWindow.deadline != nil else { return }
        let missed = peer.receiveWindow.missed
        while let message = peer.receiveWindow.next(
            at: self.reactor.instant, hasReached: { self.hasReached($0, node) })
        {
            self.deliver(message)
        }
        if peer.receiveWindow.missed > missed {
            self.metrics.lost.increment(by: Int(clamping: peer.receiveWindow.missed - missed))
            self.onGap()
        }
        self.arm(peer, node)
    }

    private func arm(_ peer: Peer, _ node: RandomToken) {
        guard let deadline = peer.receiveWindow.deadline, peer.timer == nil else { return }
        let delay = max(.milliseconds(1), self.reactor.instant.duration(to: deadline))
        peer.timer = self.reactor.schedule(after: delay) { [weak self] in
            peer.timer = nil
            self?.deliverWaiting(of: node)
        }
    }

    private func deliver(_ message: NodeMessage) {
        switch message.kind {
        case .letter: self.onLetter(message.body)
        case .news: if let frame = NodeFrame(message.body.span) { self.onNews(frame.news) }
        }
    }

    /// What the other side has is kept no longer; with the first word of it the connection can be used.
    func acknowledged(_ series: UInt64, through number: UInt64, by node: RandomToken, over link: LinkConnection) {
        guard let peer = self.peers[node], peer.link === link else { return }
        peer.sendWindow.acknowledged(series, through: number)
        link.acknowledged(all: peer.sendWindow.isEmpty)
        guard !link.isReady else { return }
        link.isReady = true
        // Behind what it has everything is said again.
        peer.sendWindow.resend()
        self.flush(to: node)
    }

    func acknowledge(over link: LinkConnection) {
        guard let window = link.peer.flatMap({ self.peers[$0] })?.receiveWindow else { return }
        link.acknowledge(window.series, through: window.last)
    }
}
