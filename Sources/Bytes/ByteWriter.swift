/// Writes once at the back.
package struct ByteWriter: Hashable, Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reservingCapacity capacity: Int = 0) {
        self.bytes.reserveCapacity(capacity)
    }

    package var count: Int { self.bytes.count }

    /// A big-endian integer of up to 64 bits.
    @inlinable
    package mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
        self.write(bits: UInt64(truncatingIfNeeded: value), Integer.bitWidth)
    }

    /// The lowest `width` bits.
    @usableFromInline
    mutating func write(bits: UInt64, _ width: Int) {
        var shift = UInt64(width)
        while shift > 0 {
            shift -= 8
            self.bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
    }

    package mutating func write(contentsOf bytes: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    package mutating func write(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in unsafe self.bytes.append(contentsOf: bytes) }
    }

    package mutating func write(_ text: String) {
        self.bytes.append(contentsOf: text.utf8)
    }

    package mutating func writeZeros(_ count: Int) {
        guard count > 0 else { return }
        self.bytes.append(contentsOf: repeatElement(0, count: count))
    }

    /// Replaces what stands at `offset`: lengths are often known only at the end.
    @inlinable
    package mutating func overwrite<Integer: FixedWidthInteger>(at offset: Int, with value: Integer) {
        self.overwrite(at: offset, bits: UInt64(truncatingIfNeeded: value), Integer.bitWidth)
    }

    @usableFromInline
    mutating func overwrite(at offset: Int, bits: UInt64, _ width: Int) {
        for index in 0..<(width / 8) {
            self.bytes[offset + index] = UInt8(truncatingIfNeeded: bits >> UInt64(width - 8 * (index + 1)))
        }
    }

    /// Starts anew with the memory it has.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
    }
}
