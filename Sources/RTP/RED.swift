package import Bytes

/// Media with copies of earlier media in front (RFC 2198), block by block: the oldest first, what the packet is about last.
package struct REDPayload: ~Escapable {
    package struct Block: Hashable, Sendable {
        package let payloadType: UInt8
        /// How much earlier than the packet, in its clock. 0 for what the packet is about.
        package let timestampOffset: UInt16
        /// Where its media lies in the payload; it may be empty.
        package let range: Range<Int>
        package let isPrimary: Bool
    }

    private let bytes: Span<UInt8>
    private var header = 0
    private var content: Int

    /// Checks that every block fits, and that something is left for the last.
    @_lifetime(copy bytes)
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        var header = 0
        var lengths = 0
        while header < bytes.count, bytes[header] & 0x80 != 0 {
            guard header + 4 <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
            lengths += Int(bytes.bigEndian(at: header + 2, as: UInt16.self) & 0x3FF)
            header += 4
        }
        guard header < bytes.count, lengths <= bytes.count - header - 1 else {
            throw ByteError(.truncated, at: bytes.count)
        }
        self.bytes = bytes
        self.content = header + 1
    }

    package mutating func next() -> Block? {
        guard self.header < self.bytes.count else { return nil }
        let first = self.bytes[self.header]
        guard first & 0x80 != 0 else {
            self.header = self.bytes.count
            return Block(
                payloadType: first, timestampOffset: 0, range: self.content..<self.bytes.count, isPrimary: true)
        }
        let fields = self.bytes.bigEndian(at: self.header, as: UInt32.self)
        let range = self.content..<(self.content + Int(fields & 0x3FF))
        self.header += 4
        self.content = range.upperBound
        return Block(
            payloadType: first & 0x7F, timestampOffset: UInt16(fields >> 10 & 0x3FFF), range: range, isPrimary: false)
    }

    /// No copy may be longer, nor older.
    package static let maximumCopyBytes = 0x3FF
    package static let oldestCopy = 0x3FFF

    /// The header of a copy. All headers are written first, the last with `writePrimary`; then the media of each.
    package static func writeCopy(
        payloadType: UInt8, timestampOffset: Int, count: Int, to writer: inout ByteWriter
    ) {
        precondition((0...self.oldestCopy).contains(timestampOffset), "a copy \(timestampOffset) ticks old")
        precondition((0...self.maximumCopyBytes).contains(count), "a copy of \(count) bytes")
        writer.write(UInt32(payloadType | 0x80) << 24 | UInt32(timestampOffset) << 10 | UInt32(count))
    }

    package static func writePrimary(payloadType: UInt8, to writer: inout ByteWriter) {
        writer.write(payloadType & 0x7F)
    }
}
