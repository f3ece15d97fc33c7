/// The two to fourteen bytes before a payload (RFC 6455 §5.2), built without touching the heap.
package struct WebSocketFrameHeader: Sendable {
    package private(set) var bytes: InlineArray<14, UInt8> = .init(repeating: 0)
    package private(set) var count = 2

    /// `mask` is the key of a client's frame; the payload then goes through `WebSocketMask` as well.
    package init(
        _ opcode: WebSocketOpcode, length: Int, isFinal: Bool = true, isCompressed: Bool = false, mask: UInt32? = nil
    ) {
        precondition(length >= 0, "a frame of \(length) bytes")
        self.bytes[0] = opcode.rawValue | (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        if length < 126 {
            self.bytes[1] = maskBit | UInt8(truncatingIfNeeded: length)
        } else if length <= 0xFFFF {
            self.bytes[1] = maskBit | 126
            self.append(UInt64(length), bytes: 2)
        } else {
            self.bytes[1] = maskBit | 127
            self.append(UInt64(length), bytes: 8)
        }
        if let mask { self.append(UInt64(mask), bytes: 4) }
    }

    /// The whole header of a server's frame with fewer than 126 bytes: the one that is built all the time.
    package static func short(_ opcode: WebSocketOpcode, length: Int) -> InlineArray<2, UInt8> {
        precondition(length < 126, "a short frame of \(length) bytes")
        return [opcode.rawValue | 0x80, UInt8(truncatingIfNeeded: length)]
    }

    private mutating func append(_ value: UInt64, bytes count: Int) {
        for index in (0..<count).reversed() {
            self.bytes[self.count] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
            self.count += 1
        }
    }

    package func append(to out: inout [UInt8]) {
        for index in 0..<self.count { out.append(self.bytes[index]) }
    }
}
