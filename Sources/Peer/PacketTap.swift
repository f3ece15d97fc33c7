package import Vocabulary

/// Who wants to see the packets of a call before they are made secret, and after they have been opened.
package protocol PacketTap: AnyObject {
    func sent(_ packet: Span<UInt8>, isRTCP: Bool, at now: Instant)
    func received(_ packet: Span<UInt8>, isRTCP: Bool, at now: Instant)
}
