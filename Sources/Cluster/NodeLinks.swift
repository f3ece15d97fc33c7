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
        /// Somebody came who could not prove the secret.
        case refused(LinkError, SocketAddress)
        /// What came by NOTIFY does not prove it, and who it claims to be from.
        case doubted(RandomToken?)
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
    private var strangers: [ObjectIdentifier: LinkConnection] = [:]

    private static let mostStrangers = 32
    private static let mostPeers = 256

    private final class Peer {
        var outbox: ParcelOutbox
        var inbox = ParcelInbox()
        var link: LinkConnection?
        var retry = LinkRetry()
        var isDialing = false
        var timer: TimerToken?

        init(outbox: ParcelOutbox) { self.outbox = outbox }
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

    private func with<Result>(_ node: RandomToken, _ body: (inout Peer) -> Result) -> Result {
        if self.peers[node] == nil, self.peers.count >= Self.mostPeers { self.forgetOne() }
        let series = UInt64(clamping: max(1, self.reactor.instant.nanoseconds))
        return body(&self.peers[node, default: Peer(outbox: ParcelOutbox(series: series))])
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
    package var hasRoom: Bool { self.strangers.count < Self.mostStrangers }

    /// What handles a connection that another node has opened.
    package func accept(_ stream: any ByteStream) -> any StreamHandler {
        self.begin(NodeLink(acceptingAs: self.node, self.seal, nonce: self.random.bytes(16)), stream)
    }

    private func begin(_ machine: NodeLink, _ stream: any ByteStream) -> LinkConnection {
        let link = LinkConnection(machine, over: stream, self)
        self.strangers[ObjectIdentifier(link)] = link
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
        let isDue = self.with(node) { peer in
            guard peer.link == nil, !peer.isDialing, peer.retry.isDue(at: now) else { return false }
            peer.isDialing = true
            // Until it has shown itself to be of use.
            peer.retry.failed(at: now)
            return true
        }
        guard isDue else { return }
        self.dial(
            node, address,
            Dialing(
                opened: { [unowned self] stream in
                    self.with(node) { $0.isDialing = false }
                    let nonce = self.random.bytes(16)
                    return self.begin(NodeLink(dialing: node, as: self.node, self.seal, nonce: nonce), stream)
                }, failed: { [weak self] in self?.with(node) { $0.isDialing = false } }))
    }

    func opened(_ link: LinkConnection, to node: RandomToken) {
        self.strangers[ObjectIdentifier(link)] = nil
        let former = self.with(node) { peer in
            peer.retry.succeeded()
            defer { peer.link = link }
            return peer.link
        }
        former?.abort()
        self.metrics.links.increment()
        self.sayReceived(over: link)
        self.onChange(.up(node))
    }

    /// Something came by NOTIFY that its sender did not prove.
    func doubts(_ claimed: RandomToken?) {
        self.metrics.doubts[.notification].increment()
        self.onChange(.doubted(claimed))
    }

    func refused(_ error: LinkError, by address: SocketAddress) {
        self.metrics.refused.increment()
        self.onChange(.refused(error, address))
    }

    func ended(_ link: LinkConnection) {
        self.strangers[ObjectIdentifier(link)] = nil
        guard let node = link.peer else { return }
        self.metrics.links.decrement()
        guard self.peers[node]?.link === link else { return }
        self.with(node) { peer in
            peer.link = nil
            peer.outbox.wayBroke()
        }
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
        for (node, peer) in self.peers {
            peer.timer.map { self.reactor.cancel($0) }
            peer.link?.close()
            // What is said from now on goes the other way.
            self.with(node) { ($0.link, $0.timer) = (nil, nil) }
        }
        for link in self.strangers.values { link.abort() }
        self.dial = { _, _, dialing in dialing.failed() }
    }
}

// MARK: - What is said

extension NodeLinks {
    func isLinked(to node: RandomToken) -> Bool { self.peers[node]?.link.map { $0.isReady && $0.isOpen } ?? false }

    /// By the connection where there is one, else by the other way.
    func send(_ body: [UInt8], _ kind: NodeParcel.Kind, to node: RandomToken, at position: LedgerPosition) {
        self.with(node) { $0.outbox.add(body, kind, at: position) }
        self.flush(to: node)
    }

    /// The other way is there again.
    func flush() { for node in Array(self.peers.keys) { self.flush(to: node) } }

    private func flush(to node: RandomToken) {
        guard let link = self.peers[node]?.link else { return self.flushByNotify(to: node) }
        guard link.isReady else { return }
        for parcel in self.with(node, { $0.outbox.takeWaiting() }) {
            // A connection that takes nothing more ends, and what it did not bring goes the other way.
            guard link.send(parcel) else { return link.abort() }
            self.metrics.letters[.direct].increment()
        }
    }

    private func flushByNotify(to node: RandomToken) {
        guard self.peers[node]?.outbox.isWaiting == true else { return }
        for parcel in self.with(node, { $0.outbox.takeWaiting() }) {
            guard self.notify(parcel, node) else { return self.with(node) { $0.outbox.wayBroke() } }
            self.metrics.letters[.notify].increment()
        }
    }
}

// MARK: - What is heard

extension NodeLinks {
    func received(_ parcel: NodeParcel, from node: RandomToken, over link: LinkConnection? = nil) {
        let isNext = self.with(node) { peer in
            peer.inbox.heard(parcel, at: self.reactor.instant) { self.hasReached($0, node) }
        }
        if isNext { self.deliver(parcel) }
        link?.owe()
        self.deliverWaiting(of: node)
    }

    /// More changes were carried out.
    func advanced() {
        for node in self.peers.keys where self.peers[node]?.inbox.deadline != nil { self.deliverWaiting(of: node) }
    }

    private func deliverWaiting(of node: RandomToken) {
        guard self.peers[node]?.inbox.deadline != nil else { return }
        let missed = self.peers[node]?.inbox.missed
        while let parcel = self.with(
            node,
            { peer in
                peer.inbox.next(at: self.reactor.instant) { self.hasReached($0, node) }
            })
        { self.deliver(parcel) }
        if let missed, let all = self.peers[node]?.inbox.missed, all > missed {
            self.metrics.lost.increment(by: Int(clamping: all - missed))
            self.onGap()
        }
        self.arm(node)
    }

    private func arm(_ node: RandomToken) {
        guard let deadline = self.peers[node]?.inbox.deadline, self.peers[node]?.timer == nil else { return }
        let delay = max(.milliseconds(1), self.reactor.instant.duration(to: deadline))
        let timer = self.reactor.schedule(after: delay) { [weak self] in
            guard let self, self.peers[node] != nil else { return }
            self.with(node) { $0.timer = nil }
            self.deliverWaiting(of: node)
        }
        self.with(node) { $0.timer = timer }
    }

    private func deliver(_ parcel: NodeParcel) {
        switch parcel.kind {
        case .letter: self.onLetter(parcel.body)
        case .news: if let frame = NodeFrame(parcel.body.span) { self.onNews(frame.news) }
        }
    }

    /// What the other side has is kept no longer; with the first word of it the connection can be used.
    func received(_ series: UInt64, through number: UInt64, by node: RandomToken, over link: LinkConnection) {
        guard self.peers[node]?.link === link else { return }
        let hasAll = self.with(node) { peer in
            peer.outbox.received(series, through: number)
            return peer.outbox.isEmpty
        }
        link.heardReceipt(hasAll: hasAll)
        guard !link.isReady else { return }
        link.isReady = true
        // Behind what it has everything is said again.
        self.with(node) { $0.outbox.wayBroke() }
        self.flush(to: node)
    }

    func sayReceived(over link: LinkConnection) {
        guard let node = link.peer, let inbox = self.peers[node]?.inbox else { return }
        link.say(receivedOf: inbox.series, through: inbox.last)
    }
}
