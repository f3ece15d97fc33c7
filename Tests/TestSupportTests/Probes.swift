import TestSupport
import Vocabulary

/// Keeps what arrives, and can send it back to where it came from.
final class Inbox: VirtualDatagramHandler {
    struct Letter: Hashable {
        let bytes: [UInt8]
        let peer: SocketAddress
        let moment: Instant
    }

    private(set) var letters: [Letter] = []
    var answers = false
    private unowned let network: VirtualNetwork

    init(_ network: VirtualNetwork) { self.network = network }

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        self.letters.append(Letter(bytes: datagram, peer: peer, moment: self.network.now))
        if self.answers { socket.send(datagram, to: peer) }
    }

    func take() -> [Letter] {
        defer { self.letters = [] }
        return self.letters
    }
}

/// A service on two addresses with two ports each: a request says which of the four shall answer, and the answer says
/// where the request seemed to come from (RFC 5780 without its messages).
final class Mirror: VirtualDatagramHandler {
    static let addresses = [0xC633_6401, 0xC633_6402].map { IPAddress.v4($0) }
    static let ports: [UInt16] = [3478, 3479]

    private var sockets: [VirtualSocket] = []

    init(on network: VirtualNetwork) throws {
        let host = network.addHost(Self.addresses[0], Self.addresses[1], link: LinkProfile(delay: .milliseconds(10)))
        for address in Self.addresses {
            for port in Self.ports { self.sockets.append(try host.bind(SocketAddress(address, port: port), self)) }
        }
    }

    static func place(_ index: Int) -> SocketAddress {
        SocketAddress(self.addresses[index / 2], port: self.ports[index % 2])
    }

    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        guard let speaker = datagram.first.map(Int.init), self.sockets.indices.contains(speaker) else { return }
        self.sockets[speaker].send(Array("\(peer)".utf8), to: peer)
    }
}

/// A host that asks a mirror what the gateways before it do.
struct NATProbe {
    let network: VirtualNetwork
    let socket: VirtualSocket
    let inbox: Inbox

    init(_ network: VirtualNetwork, on host: VirtualHost, port: UInt16 = 0) throws {
        self.network = network
        self.inbox = Inbox(network)
        self.socket = try host.bind(SocketAddress(.any, port: port), self.inbox)
    }

    /// How the mirror sees this socket when it is asked at one of its places and answers from another.
    func ask(at place: Int = 0, answeringFrom speaker: Int? = nil) -> SocketAddress? {
        self.socket.send([UInt8(speaker ?? place)], to: Mirror.place(place))
        self.network.run(for: .seconds(1))
        return self.inbox.take().first.flatMap { SocketAddress(String(decoding: $0.bytes, as: UTF8.self)) }
    }

    func mapping() -> NATBehaviour.Dependence {
        let first = self.ask(at: 0)
        if self.ask(at: 2) == first { return .endpointIndependent }
        // The other address, another port: does only the address make a difference?
        return self.ask(at: 3) == self.ask(at: 2) ? .addressDependent : .addressAndPortDependent
    }

    func filtering() -> NATBehaviour.Dependence {
        if self.ask(at: 0, answeringFrom: 3) != nil { return .endpointIndependent }
        return self.ask(at: 0, answeringFrom: 1) != nil ? .addressDependent : .addressAndPortDependent
    }
}
