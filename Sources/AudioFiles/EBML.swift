import Bytes

/// The grammar under WebM: elements of identifier, size and content (RFC 8794).
enum EBML {
    struct Header: Hashable {
        var id: UInt32
        /// Nil when the writer did not know it yet, as in a live recording.
        var size: Int?
        /// How many bytes the header itself takes.
        var length: Int
    }

    static func readHeader(from reader: inout ByteReader) throws(ByteError) -> Header {
        let start = reader.offset
        let id = try self.readNumber(from: &reader, keepingMarker: true, longest: 4)
        let sizeAt = reader.offset
        let size = try self.readNumber(from: &reader, keepingMarker: false, longest: 8)
        let isUnknown = size == (1 as UInt64) << UInt64(7 * (reader.offset - sizeAt)) - 1
        guard isUnknown || size <= UInt64(Int.max / 2) else { throw ByteError(.outOfRange, at: sizeAt) }
        return Header(id: UInt32(id), size: isUnknown ? nil : Int(size), length: reader.offset - start)
    }

    /// A number whose first byte tells its length by its leading zeros (RFC 8794 §4).
    static func readNumber(
        from reader: inout ByteReader, keepingMarker: Bool, longest: Int
    ) throws(ByteError) -> UInt64 {
        let at = reader.offset
        let first: UInt8 = try reader.read()
        let length = first.leadingZeroBitCount + 1
        guard length <= longest else { throw ByteError(.outOfRange, at: at) }
        var value = UInt64(keepingMarker ? first : first & (0xFF >> UInt8(length)))
        if !keepingMarker, length == 8 { value = 0 }
        for _ in 1..<length { value = value << 8 | UInt64(try reader.read() as UInt8) }
        return value
    }

    /// Calls `body` with each element inside of `content`.
    static func forEach(
        in content: Span<UInt8>, _ body: (UInt32, Span<UInt8>, Int) throws(ByteError) -> Void
    ) throws(ByteError) {
        var reader = ByteReader(content)
        while !reader.isAtEnd {
            let header = try self.readHeader(from: &reader)
            let at = reader.offset
            try body(header.id, try reader.slice(header.size ?? reader.remaining), at)
        }
    }

    /// An unsigned integer of up to eight bytes.
    static func unsigned(_ content: Span<UInt8>) throws(ByteError) -> UInt64 {
        guard content.count <= 8 else { throw ByteError(.outOfRange, at: 0) }
        var value: UInt64 = 0
        for index in content.indices { value = value << 8 | UInt64(content[index]) }
        return value
    }

    static func text(_ content: Span<UInt8>) -> String {
        String(decoding: [UInt8](copying: content).prefix { $0 != 0 }, as: UTF8.self)
    }
}
