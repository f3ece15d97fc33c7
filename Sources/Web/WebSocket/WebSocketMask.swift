/// The key that hides a client's payload from careless machines in between (RFC 6455 §5.3).
package struct WebSocketMask: Hashable, Sendable {
    /// The key's four bytes, twice, in the order in which they meet the payload.
    private var key: UInt64

    /// `key` as it stands in the frame's header, big-endian.
    package init(_ key: UInt32) {
        let swapped = UInt64(UInt32(bigEndian: key.littleEndian))
        self.key = swapped | swapped << 32
    }

    /// The key as it stands in a header.
    init(_ header: Span<UInt8>, at start: Int) {
        let bytes = (0..<4).reduce(UInt64(0)) { $0 | UInt64(header[start + $1]) << UInt64(8 * $1) }
        self.key = bytes | bytes << 32
    }

    /// Masks or unmasks a range in place, and is then ready for the bytes that follow it.
    package mutating func apply(to bytes: inout MutableSpan<UInt8>, in range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range lies outside")
        guard self.key != 0 else { return }
        var index = range.lowerBound
        while index + 8 <= range.upperBound {
            bytes.combine(self.key, at: index)
            index += 8
        }
        while index < range.upperBound {
            bytes[index] ^= UInt8(truncatingIfNeeded: self.key)
            self.key = self.key >> 8 | self.key << 56
            index += 1
        }
    }
}

extension MutableSpan<UInt8> {
    /// Combines eight bytes at any offset with a word whose lowest byte comes first.
    @inline(__always)
    fileprivate mutating func combine(_ word: UInt64, at offset: Int) {
        var raw = unsafe self.mutableBytes
        // In bounds, because the caller counts in steps of eight up to the end it checked.
        let value = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        unsafe raw.storeBytes(of: value ^ word.littleEndian, toUncheckedByteOffset: offset, as: UInt64.self)
    }
}
