package import Bytes

/// Media and reports that are to leave over one transport, all in one piece of memory that is kept. Behind each packet
/// there is room for what keeps it secret, so that it is protected where it lies.
package struct MediaOutbox: Sendable {
    package enum Kind: Hashable, Sendable {
        case rtp, rtcp
        /// Made secret before: it leaves again as it was.
        case srtp
    }

    package struct Packet: Hashable, Sendable {
        package let kind: Kind
        /// Where its bytes lie in the outbox, without the room behind them.
        package let range: Range<Int>
        /// Its number among all packets of the transport that are counted.
        package let transportSequence: UInt16?
        /// Its sender wants it as it leaves, to be able to send it again.
        package let isKept: Bool
    }

    /// The longest tag of SRTP, the number that SRTCP adds, and a little more.
    package static let trailerRoom = 24
    private static let trailer = [UInt8](repeating: 0, count: Self.trailerRoom)

    package private(set) var packets: [Packet] = []
    private var writer = ByteWriter()
    /// Goes on when the outbox is emptied: all streams of a transport are counted together.
    private var nextTransportSequence: UInt16 = 0

    package init() {}

    package var isEmpty: Bool { self.packets.isEmpty }

    /// Begins anew with the memory it has.
    package mutating func removeAll() {
        self.packets.removeAll(keepingCapacity: true)
        self.writer.removeAll()
    }

    /// Lends each packet in its order, with the room behind it, and says how many bytes of it are the packet's.
    package mutating func forEach<Failure: Error>(
        _ body: (Packet, _ bytes: inout MutableSpan<UInt8>, _ count: Int) throws(Failure) -> Void
    ) throws(Failure) {
        for packet in self.packets {
            let range = packet.range.lowerBound..<(packet.range.upperBound + Self.trailerRoom)
            try self.writer.withMutableBytes(in: range) { (bytes: inout MutableSpan<UInt8>) throws(Failure) in
                try body(packet, &bytes, packet.range.count)
            }
        }
    }

    /// The bytes of a packet, lent for the time of the call.
    package func withBytes<Result>(of packet: Packet, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try body(self.writer.bytes.span.extracting(packet.range))
    }

    /// - Parameters:
    ///   - isCounted: `body` is given a number to write into the packet.
    ///   - isKept: its sender wants it as it leaves.
    package mutating func append(
        _ kind: Kind, isCounted: Bool = false, isKept: Bool = false,
        _ body: (inout ByteWriter, _ transportSequence: UInt16) -> Void
    ) {
        let start = self.writer.count
        let sequence = self.nextTransportSequence
        if isCounted { self.nextTransportSequence &+= 1 }
        body(&self.writer, sequence)
        guard self.writer.count > start else { return }
        self.packets.append(
            Packet(
                kind: kind, range: start..<self.writer.count, transportSequence: isCounted ? sequence : nil,
                isKept: isKept))
        self.writer.write(Self.trailer.span)
    }
}
