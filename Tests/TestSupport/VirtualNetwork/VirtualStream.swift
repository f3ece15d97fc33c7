package import Vocabulary

/// Who is told what happens on a stream of the virtual network. The stream does not keep it alive.
package protocol VirtualStreamHandler: AnyObject {
    func connected(_ stream: VirtualStream)
    func received(_ bytes: [UInt8], on stream: VirtualStream)
    /// The other side closed it, or it never came to be.
    func ended(_ stream: VirtualStream)
}

/// Where a host takes TCP connections.
package final class VirtualListener {
    /// Gives each connection its handler.
    let accepted: (VirtualStream) -> any VirtualStreamHandler

    init(_ accepted: @escaping (VirtualStream) -> any VirtualStreamHandler) {
        self.accepted = accepted
    }
}

/// One end of a TCP connection, as far as TCP matters here: bytes arrive whole, in order, and later where packets are
/// lost. When a link on the way goes down, nothing arrives any more. Each side keeps its own end.
package final class VirtualStream {
    package let address: SocketAddress
    package let peer: SocketAddress
    package private(set) var isOpen = false
    package weak var handler: (any VirtualStreamHandler)?
    private let network: Unowned<VirtualNetwork>
    private let path: VirtualPath
    private weak var other: VirtualStream?
    private var lastArrival: Int64 = 0
    private var isStalled = false

    fileprivate init(
        _ address: SocketAddress, to peer: SocketAddress, over path: VirtualPath, of network: VirtualNetwork
    ) {
        self.address = address
        self.peer = peer
        self.path = path
        self.network = Unowned(object: network)
    }

    package func write(_ bytes: [UInt8]) {
        guard self.isOpen else { return }
        for start in stride(from: 0, to: bytes.count, by: 1400) {
            let piece = Array(bytes[start..<min(start + 1400, bytes.count)])
            self.carry(piece.count) { $0.handler?.received(piece, on: $0) }
        }
    }

    package func close() {
        guard self.isOpen else { return }
        self.carry(0) { $0.end() }
        self.isOpen = false
    }

    private func carry(_ size: Int, _ body: @escaping (VirtualStream) -> Void) {
        let network = self.network.object
        guard !self.isStalled, let duration = self.path.carry(size + 40, at: network.nanoseconds) else {
            self.isStalled = true
            return
        }
        self.lastArrival = max(self.lastArrival, network.nanoseconds + duration)
        network.at(Instant(nanoseconds: self.lastArrival)) { [weak other = self.other] in
            if let other, other.isOpen { body(other) }
        }
    }

    fileprivate func end() {
        self.isOpen = false
        self.handler?.ended(self)
    }
}

extension VirtualHost {
    /// Takes connections on an address of this host.
    package func listen(on address: SocketAddress, accepted: @escaping (VirtualStream) -> any VirtualStreamHandler) {
        self.listeners[address] = VirtualListener(accepted)
    }

    /// Opens a connection; the handler learns how that went after a round trip, or after the time it takes to give up.
    package func connect(
        to peer: SocketAddress, from source: IPAddress, _ handler: any VirtualStreamHandler
    ) -> VirtualStream {
        let network = self.network.object
        let inner = SocketAddress(source, port: self.freePort())
        let path = VirtualPath(from: self, inner, to: peer)
        let near = VirtualStream(inner, to: peer, over: path, of: network)
        near.handler = handler
        let far = VirtualStream(peer, to: path.appearance, over: path.reversed, of: network)
        near.meet(far, listener: path.listener)
        return near
    }
}

extension VirtualStream {
    /// The three-way handshake: the far end is open after half a round trip, the near one after a whole.
    fileprivate func meet(_ far: VirtualStream, listener: VirtualListener?) {
        let network = self.network.object
        guard let there = self.path.carry(40, at: network.nanoseconds), let listener else {
            // Nobody says no: the caller finds out by waiting.
            return network.after(.seconds(15)) { [weak self] in self?.end() }
        }
        self.other = far
        far.other = self
        network.after(.nanoseconds(there)) { [weak self] in
            guard let self else { return }
            far.isOpen = true
            far.handler = listener.accepted(far)
            guard let back = far.path.carry(40, at: network.nanoseconds) else { return }
            network.after(.nanoseconds(back)) { [weak self] in
                guard let self else { return }
                self.isOpen = true
                self.handler?.connected(self)
            }
        }
    }
}

/// The links between two hosts, and what the gateways on the way make of the caller's address.
private struct VirtualPath {
    private struct Step {
        let link: VirtualLink
        let isUpward: Bool
    }

    private var steps: [Step] = []
    /// The caller as the other side sees it.
    private(set) var appearance: SocketAddress
    /// Nil when nobody can be reached, or nobody takes connections there.
    private(set) var listener: VirtualListener?

    init(from host: VirtualHost, _ source: SocketAddress, to destination: SocketAddress) {
        self.appearance = source
        guard let (interface, _) = host.way(to: destination.ip, from: source.ip) else { return }
        var link = interface.link
        self.steps.append(Step(link: link, isUpward: true))
        while link.realm.places[destination.ip] == nil {
            guard let gateway = link.realm.gateway, gateway.behaviour.passesTCP else { return }
            if case .v4 = source.ip { self.appearance = gateway.outerAddressForStream() }
            link = gateway.link
            self.steps.append(Step(link: link, isUpward: true))
        }
        guard let last = link.realm.places[destination.ip], case .host(let target) = last.owner else { return }
        self.steps.append(Step(link: last, isUpward: false))
        self.listener = target.object.listeners[destination]
    }

    var reversed: VirtualPath {
        var path = self
        path.steps = self.steps.reversed().map { Step(link: $0.link, isUpward: !$0.isUpward) }
        return path
    }

    /// How many nanoseconds a piece takes; nil when a link on the way is down.
    func carry(_ size: Int, at now: Int64) -> Int64? {
        guard self.steps.allSatisfy(\.link.isUp) else { return nil }
        let roundTrip = self.steps.reduce(0) { $0 + $1.link.up.delay + $1.link.down.delay }
        return self.steps.reduce(Int64(0)) { duration, step in
            let moment = now + duration
            return duration
                + (step.isUpward
                    ? step.link.up.carryReliably(size, at: moment, resendingAfter: roundTrip)
                    : step.link.down.carryReliably(size, at: moment, resendingAfter: roundTrip))
        }
    }
}
