internal import ICE
internal import Reactor
internal import Vocabulary

/// The owner of transports, as they see it.
protocol PeerTransportOwner: AnyObject {
    var reactor: Reactor { get }
    /// By which it is found among others.
    var usernameFragment: String { get }
    var transactionTag: UInt32 { get }

    func makePathID() -> PathID
    func received(_ bytes: Span<UInt8>, on path: PathID, from peer: SocketAddress) -> ICEReceipt
    func added(_ path: ICEPath)
    func removed(_ path: PathID)
    func failed(_ error: CandidateError)
    func noticeEndOfPaths()
    func ended(_ transport: StreamTransport)
    func needsOwnSocket(on ip: IPAddress)
}

extension PeerPath: PeerTransportOwner {
    var usernameFragment: String { self.inspect { $0.usernameFragment } }
    var transactionTag: UInt32 { self.inspect { $0.transactionTag } }

    func added(_ path: ICEPath) { self.act { $0.pathAdded(path, at: $1, into: &$2) } }
    func removed(_ path: PathID) { self.act { $0.pathRemoved(path, at: $1, into: &$2) } }
}
