internal import Bytes
internal import Reactor
internal import STUN
internal import Vocabulary

/// A small STUN service beside the server, so that a first call needs nothing else.
final class STUNService: DatagramHandler {
    private var responder: BindingResponder
    private var answer = ByteWriter(reservingCapacity: 128)

    init() {
        var random = SystemRandomNumberGenerator()
        self.responder = BindingResponder(using: &random)
    }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        self.answer.removeAll()
        let now = Instant(milliseconds: Int64(clamping: socket.reactor.now))
        guard self.responder.answer(datagram, from: peer, at: now, into: &self.answer) else { return }
        let bytes = self.answer.bytes
        socket.send(bytes.span, to: peer)
    }
}
