internal import Reactor
internal import STUN
internal import TURN
internal import Vocabulary

/// Opens relayed transport addresses among the ports that the operator gave, at random so that nobody guesses the next one.
final class RelayPorts: RelaySockets {
    private let configuration: TURNConfiguration
    private let address: IPAddress
    private let reactor: Reactor
    /// Who is told of what peers send. Set once, before the first is opened.
    weak var service: TURNService?

    private static let attempts = 32

    /// - Parameter address: where clients are served; relays are on the same.
    init(_ configuration: TURNConfiguration, on address: IPAddress, _ reactor: Reactor) {
        self.configuration = configuration
        self.address = address
        self.reactor = reactor
    }

    func open(_ family: STUNAddressFamily, _ port: RelayPort, for client: SocketAddress) -> [any RelaySocket]? {
        guard let ip = self.address(family, for: client) else { return nil }
        for _ in 0..<Self.attempts {
            var number = UInt16.random(in: self.configuration.ports)
            if port != .any { number &= ~1 }
            guard self.configuration.ports.contains(number), let first = self.socket(ip, number) else { continue }
            guard port == .evenAndNext else { return [first] }
            if number < self.configuration.ports.upperBound, let next = self.socket(ip, number + 1) {
                return [first, next]
            }
            first.close()
        }
        return nil
    }

    func openStreams(_ family: STUNAddressFamily, for client: SocketAddress) -> (any StreamRelay)? {
        guard let ip = self.address(family, for: client) else { return nil }
        for _ in 0..<Self.attempts {
            let place = SocketAddress(ip, port: UInt16.random(in: self.configuration.ports))
            if let relay = try? StreamRelayPort(on: place, as: self.told(place), self.reactor, self.service) {
                return relay
            }
        }
        return nil
    }

    /// The one of this machine's addresses that leads to the client, where it was not said which one to use.
    private func address(_ family: STUNAddressFamily, for client: SocketAddress) -> IPAddress? {
        let fixed = self.address.unmapped
        if !fixed.isUnspecified { return STUNAddressFamily(of: fixed) == family ? fixed : nil }
        // An address of the other family than the client's: the way into the internet.
        let target =
            STUNAddressFamily(of: client.ip.unmapped) == family
            ? SocketAddress(client.ip.unmapped, port: client.port) : Self.anywhere(family)
        return UDPSocket.source(towards: target).flatMap { $0.isUnspecified ? nil : $0 }
    }

    /// Nothing is sent there: the system only says by which address of ours it would be.
    private static func anywhere(_ family: STUNAddressFamily) -> SocketAddress {
        switch family {
        case .ipv4: SocketAddress(.v4(0xC000_0201), port: 9)
        case .ipv6: SocketAddress(.v6(0x2001_0DB8_0000_0000, 1), port: 9)
        }
    }

    private func socket(_ ip: IPAddress, _ port: UInt16) -> RelayPortSocket? {
        guard let socket = try? UDPSocket(on: SocketAddress(ip, port: port), for: .relayedPeers, reactor: self.reactor)
        else {
            return nil
        }
        return RelayPortSocket(socket, as: self.told(SocketAddress(ip, port: port)), self.service)
    }

    /// An address of ours as clients and peers know it.
    private func told(_ place: SocketAddress) -> SocketAddress {
        guard let external = self.configuration.externalAddress,
            STUNAddressFamily(of: external) == STUNAddressFamily(of: place.ip)
        else { return place }
        return SocketAddress(external, port: place.port)
    }
}

extension IPAddress {
    fileprivate var isUnspecified: Bool { self == .any || self == .any6 }
}

/// A relayed transport address and the socket behind it.
private final class RelayPortSocket: RelaySocket, DatagramHandler {
    let relayedAddress: SocketAddress
    /// Until one of the two is closed.
    var allocation: Allocation?
    private let socket: UDPSocket
    private var service: TURNService?

    init(_ socket: UDPSocket, as relayedAddress: SocketAddress, _ service: TURNService?) {
        self.socket = socket
        self.relayedAddress = relayedAddress
        self.service = service
        socket.start(self)
    }

    func send(_ payload: Span<UInt8>, to peer: SocketAddress) { self.socket.send(payload, to: peer) }
    func close() {
        self.socket.close()
        self.allocation = nil
        self.service = nil
    }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        guard let allocation = self.allocation else { return }
        self.service?.received(datagram, from: peer, for: allocation)
    }
}
