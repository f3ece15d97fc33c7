internal import Reactor
internal import STUN
internal import Vocabulary

/// A small STUN service beside the server, so that a first call needs nothing else.
final class STUNService: DatagramHandler {
    private let responder = BindingResponder()

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        guard let answer = self.responder.answer(datagram, from: peer) else { return }
        socket.send(answer.span, to: peer)
    }
}
