/// Writes once at the back.
package struct ByteWriter: Hashable, Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reservingCapacity capacity: Int = 0) {
        if capacity > 0 { self.bytes.reserveCapacity(capacity) }
    }

    package var count: Int { self.bytes.count }

    /// A big-endian integer of any width.
    // Without these four, every room beyond this one would run the generic code (docs/decisions/0003).
    @specialized(where Integer == UInt8)
    @specialized(where Integer == UInt16)
    @specialized(where Integer == UInt32)
    @specialized(where Integer == UInt64)
    package mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
        var shift = Integer.bitWidth
        while shift > 0 {
            shift -= 8
            self.bytes.append(UInt8(truncatingIfNeeded: value >> Integer(shift)))
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
    @specialized(where Integer == UInt16)
    package mutating func overwrite<Integer: FixedWidthInteger>(at offset: Int, with value: Integer) {
        for index in 0..<(Integer.bitWidth / 8) {
            let shift = Integer(Integer.bitWidth - 8 * (index + 1))
            self.bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }

    /// Lends a part of what was written, to be changed where it lies.
    package mutating func withMutableBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var all = self.bytes.mutableSpan
        var part = all._mutatingExtracting(range)
        return try body(&part)
    }

    /// Starts anew with the memory it has.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
    }
}
