import Bytes

/// One block of a WebM cluster: the frames of one track at one time (RFC 9559 §10).
struct WebMBlock: Hashable, Sendable {
    var track: UInt64
    /// Against the time of its cluster, in ticks.
    var time: Int16
    var frames: [[UInt8]]
    /// Nanoseconds to drop at the end of the last frame.
    var discardPadding: Int64 = 0

    private enum ID {
        static let block: UInt32 = 0xA1
        static let discardPadding: UInt32 = 0x75A2
    }

    /// What a `SimpleBlock`, and the `Block` of a `BlockGroup`, hold.
    init(parsing content: Span<UInt8>) throws(ByteError) {
        var reader = ByteReader(content)
        self.track = try EBML.readNumber(from: &reader, keepingMarker: false, longest: 8)
        self.time = try reader.read()
        let flags: UInt8 = try reader.read()
        let sizes = try Self.readLacing(flags >> 1 & 3, from: &reader)
        self.frames = []
        for size in sizes { self.frames.append(try reader.array(size)) }
        self.frames.append(try reader.array(reader.remaining))
    }

    init?(group: Span<UInt8>) throws(ByteError) {
        var block: WebMBlock?
        var padding: Int64 = 0
        try EBML.forEach(in: group) { id, content, _ throws(ByteError) in
            switch id {
            case ID.block: block = try WebMBlock(parsing: content)
            case ID.discardPadding:
                let bits = UInt64(8 * content.count)
                let value = try EBML.unsigned(content)
                padding = bits == 0 ? 0 : Int64(bitPattern: value << (64 - bits)) >> Int64(64 - bits)
            default: break
            }
        }
        guard let block else { return nil }
        self = block
        self.discardPadding = padding
    }

    /// The sizes of all frames but the last, which takes the rest.
    private static func readLacing(_ kind: UInt8, from reader: inout ByteReader) throws(ByteError) -> [Int] {
        guard kind != 0 else { return [] }
        let others = Int(try reader.read() as UInt8)
        switch kind {
        case 1: return try self.readXiphSizes(others, from: &reader)
        case 3: return try self.readSizes(others, from: &reader)
        default:
            guard reader.remaining.isMultiple(of: others + 1) else { throw ByteError(.outOfRange, at: reader.offset) }
            return Array(repeating: reader.remaining / (others + 1), count: others)
        }
    }

    private static func readXiphSizes(_ count: Int, from reader: inout ByteReader) throws(ByteError) -> [Int] {
        var sizes: [Int] = []
        for _ in 0..<count {
            var size = 0
            var byte: UInt8
            repeat {
                byte = try reader.read()
                size += Int(byte)
            } while byte == 255
            sizes.append(size)
        }
        return sizes
    }

    /// The first size, and then differences that are shifted so that they can be negative.
    private static func readSizes(_ count: Int, from reader: inout ByteReader) throws(ByteError) -> [Int] {
        var sizes: [Int] = []
        for _ in 0..<count {
            let start = reader.offset
            let number = try EBML.readNumber(from: &reader, keepingMarker: false, longest: 8)
            guard number < 1 << 56 else { throw ByteError(.outOfRange, at: start) }
            guard let last = sizes.last else {
                sizes.append(Int(number))
                continue
            }
            let bias = (1 << (7 * (reader.offset - start) - 1)) - 1
            let size = last + Int(number) - bias
            guard (0...reader.bytes.count).contains(size) else { throw ByteError(.outOfRange, at: start) }
            sizes.append(size)
        }
        return sizes
    }
}
