extension Span where Element == UInt8 {
    /// The big-endian integer at `offset`, for readers that know their place and have checked the length once.
    @inlinable
    package func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as _: Integer.Type = Integer.self
    ) -> Integer {
        // Every pattern of bits is an integer, and the bounds are checked; nothing else could be unsafe.
        unsafe Integer(bigEndian: self.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    /// Whether both show the same bytes.
    package func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        for index in self.indices where self[index] != other[index] { return false }
        return true
    }
}
