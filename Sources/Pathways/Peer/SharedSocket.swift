internal import ICE
internal import Reactor
internal import STUN
internal import Vocabulary

/// One UDP socket with seats for many.
///
/// An address of theirs is the first one's to prove it, for as long as that one stays. Another one's checks from there
/// are not taken, for what follows them would go to the first: it is told so, and goes elsewhere.
final class SharedSocket: DatagramHandler {
    private let socket: UDPSocket
    private var demultiplexer = ICEDemultiplexer()
    private var ways: [Int: SharedWay] = [:]
    private var nextSeat = 0

    /// What the kernel holds back for one socket is to be enough for everybody on it while the loop is busy elsewhere.
    private static let most = 64

    init(on ip: IPAddress, reactor: Reactor) throws(ReactorError) {
        self.socket = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: reactor)
        self.socket.start(self)
    }

    var address: SocketAddress { self.socket.address }
    var hasRoom: Bool { self.ways.count < Self.most }
    var isEmpty: Bool { self.ways.isEmpty }

    /// Nil when another one has the same name or tag.
    func add(_ way: SharedWay, usernameFragment: String, tag: UInt32) -> Int? {
        let seat = self.nextSeat
        self.nextSeat += 1
        guard self.demultiplexer.add(seat, usernameFragment: usernameFragment, transactionTag: tag) else { return nil }
        self.ways[seat] = way
        return seat
    }

    /// False when another one has that name.
    func rename(_ seat: Int, to usernameFragment: String) -> Bool {
        self.demultiplexer.restarted(seat, usernameFragment: usernameFragment)
    }

    func remove(_ seat: Int) {
        self.ways[seat] = nil
        self.demultiplexer.remove(seat)
    }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) { self.socket.send(packet, to: peer) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        let holder = self.demultiplexer.holder(of: peer)
        guard STUNMessage.isPlausible(datagram) else {
            if let holder { _ = self.ways[holder]?.received(datagram, from: peer) }
            return
        }
        guard let seat = self.demultiplexer.route(datagram, from: peer), let way = self.ways[seat] else { return }
        if let holder, holder != seat { return way.crowdedOut() }
        if way.received(datagram, from: peer) == .handled { self.demultiplexer.proved(peer, for: seat) }
    }

    func close() { self.socket.close() }
}
