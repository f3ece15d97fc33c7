internal import Reactor
internal import System

/// Who takes connections to the HTTPS port whose clients speak STUN: they say so by ALPN (`stun.turn`, RFC 7443), and those
/// that say nothing are known by their first byte, which no HTTP request begins with.
package final class OtherProtocol: Sendable {
    package typealias Takes = @Sendable (DetachedStream) -> Void

    private let takes = Locked<Takes?>(nil)

    /// The two bits that are zero, and a class and a method of which there are few (RFC 8489 §5).
    private static let firstBytes: ClosedRange<UInt8> = 0...3

    func set(_ takes: @escaping Takes) { self.takes.withLock { $0 = takes } }

    /// Only behind TLS: without it there is the port of STUN.
    func takes(_ bytes: Span<UInt8>, on stream: any ByteStream) -> Takes? {
        guard stream.isEncrypted, !bytes.isEmpty, Self.firstBytes.contains(bytes[0]) else { return nil }
        return self.takes.withLock { $0 }
    }
}
