/// The header of a frame that arrives, checked as far as a header can be (RFC 6455 §5.2).
struct WebSocketIncomingFrame: Sendable {
    let opcode: WebSocketOpcode
    let isFinal: Bool
    let isCompressed: Bool
    /// How many bytes of its payload have not come yet.
    private(set) var missing: Int
    private var mask: WebSocketMask?

    /// Bytes of the whole header, as its second byte tells.
    static func headerLength(_ second: UInt8) -> Int {
        let mask = second & 0x80 == 0 ? 0 : 4
        switch second & 0x7F {
        case 127: return 10 + mask
        case 126: return 4 + mask
        default: return 2 + mask
        }
    }

    /// What the first two bytes alone can be refused for, so that nothing more is waited for.
    static func check(
        _ first: UInt8, _ second: UInt8, role: WebSocketRole, mayCompress: Bool
    ) throws(WebSocketError) -> WebSocketOpcode {
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else { throw WebSocketError(.reservedOpcode) }
        let isCompressed = first & 0x40 != 0
        guard first & 0x30 == 0, !isCompressed || (mayCompress && !opcode.isControl && opcode != .continuation) else {
            throw WebSocketError(.reservedBits)
        }
        if opcode.isControl {
            guard first & 0x80 != 0 else { throw WebSocketError(.controlFragmented) }
            guard second & 0x7F < 126 else { throw WebSocketError(.controlTooLong) }
        }
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else { throw WebSocketError(isMasked ? .unexpectedMask : .missingMask) }
        return opcode
    }

    /// Reads a complete header that begins at `start` and whose first two bytes were checked.
    init(_ opcode: WebSocketOpcode, _ bytes: Span<UInt8>, at start: Int) throws(WebSocketError) {
        let (first, second) = (bytes[start], bytes[start + 1])
        self.opcode = opcode
        self.isFinal = first & 0x80 != 0
        self.isCompressed = first & 0x40 != 0
        var index = start + 2
        switch second & 0x7F {
        case 126: self.missing = try Self.length(bytes, &index, bytes: 2, above: 125)
        case 127: self.missing = try Self.length(bytes, &index, bytes: 8, above: 0xFFFF)
        case let short: self.missing = Int(short)
        }
        self.mask = second & 0x80 == 0 ? nil : WebSocketMask(UInt32(Self.integer(bytes, index, bytes: 4)))
    }

    /// Unmasks in place what is there of the payload from `offset` on, and says where it lies.
    mutating func take(_ bytes: inout MutableSpan<UInt8>, from offset: inout Int) -> Range<Int> {
        let range = offset..<(offset + min(self.missing, bytes.count - offset))
        self.mask?.apply(to: &bytes, in: range)
        self.missing -= range.count
        offset = range.upperBound
        return range
    }

    private static func length(
        _ bytes: Span<UInt8>, _ index: inout Int, bytes count: Int, above shorter: UInt64
    ) throws(WebSocketError) -> Int {
        let value = self.integer(bytes, index, bytes: count)
        index += count
        guard value > shorter else { throw WebSocketError(.lengthNotMinimal) }
        // The highest bit of 64 must be zero, which leaves exactly what an Int can hold.
        guard let length = Int(exactly: value) else { throw WebSocketError(.lengthOutOfRange) }
        return length
    }

    private static func integer(_ bytes: Span<UInt8>, _ start: Int, bytes count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in start..<(start + count) { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
