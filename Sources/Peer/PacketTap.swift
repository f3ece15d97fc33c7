package import Vocabulary

/// Who wants to see the packets of a call: checks and handshakes as they are, media before it is made secret and after it
/// has been opened.
package protocol PacketTap: AnyObject {
    func passed(_ packet: Span<UInt8>, from source: SocketAddress, to target: SocketAddress, at now: Instant)
}
