internal import ICE
internal import Reactor
internal import STUN
internal import Vocabulary

/// One UDP socket shared by many connections.
///
/// A remote address belongs to the first registration that authenticated it, while that one stays. Checks of another
/// registration from the same address are refused, since media from there would reach the first: it opens a socket of its own.
final class SharedSocket: DatagramHandler {
    private let socket: UDPSocket
    private var demultiplexer = ICEDemultiplexer()
    private var transports: [Int: SharedTransport] = [:]
    private var nextSeat = 0

    /// So many that the kernel's receive buffer of one socket suffices while the loop is busy elsewhere.
    private static let maximumServers = 64

    init(on ip: IPAddress, reactor: Reactor) throws(ReactorError) {
        self.socket = try UDPSocket(on: SocketAddress(ip, port: 0), for: .manyPeers, reactor: reactor)
        self.socket.start(self)
    }

    var address: SocketAddress { self.socket.address }
    var hasRoom: Bool { self.transports.count < Self.maximumServers }
    var isEmpty: Bool { self.transports.isEmpty }

    /// Nil when another one has the same name or tag.
    func add(_ transport: SharedTransport, usernameFragment: String, tag: UInt32) -> Int? {
        let registration = self.nextSeat
        self.nextSeat += 1
        guard self.demultiplexer.add(registration, usernameFragment: usernameFragment, transactionTag: tag) else {
            return nil
        }
        self.transports[registration] = transport
        return registration
    }

    /// False when another one has that name.
    func rename(_ registration: Int, to usernameFragment: String) -> Bool {
        self.demultiplexer.restarted(registration, usernameFragment: usernameFragment)
    }

    func remove(_ registration: Int) {
        self.transports[registration] = nil
        self.demultiplexer.remove(registration)
    }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) { self.socket.send(packet, to: peer) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        let holder = self.demultiplexer.holder(of: peer)
        guard STUNMessage.isPlausible(datagram) else {
            if let holder { _ = self.transports[holder]?.received(datagram, from: peer) }
            return
        }
        guard let registration = self.demultiplexer.route(datagram, from: peer),
            let transport = self.transports[registration]
        else { return }
        if let holder, holder != registration { return transport.crowdedOut() }
        if transport.received(datagram, from: peer) == .handled { self.demultiplexer.proved(peer, for: registration) }
    }

    func close() { self.socket.close() }
}
