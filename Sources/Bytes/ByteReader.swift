/// Reads once from the front and says where the bytes stopped making sense.
///
/// It borrows what it reads, copies nothing and cannot outlive the input. A failed read leaves the
/// position where it was.
package struct ByteReader: ~Escapable {
    package let bytes: Span<UInt8>
    package private(set) var offset = 0

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    package var remaining: Int { self.bytes.count - self.offset }
    package var isAtEnd: Bool { self.offset == self.bytes.count }

    /// A big-endian integer of any width.
    @inlinable
    package mutating func read<Integer: FixedWidthInteger>(
        _: Integer.Type = Integer.self
    ) throws(ByteError) -> Integer {
        let range = try self.skip(Integer.bitWidth / 8)
        var value: Integer = 0
        for index in range { value = (value << 8) | Integer(truncatingIfNeeded: self.bytes[index]) }
        return value
    }

    @inlinable
    package mutating func read() throws(ByteError) -> UInt8 {
        self.bytes[try self.skip(1).lowerBound]
    }

    /// A view of the next `count` bytes.
    @_lifetime(copy self)
    package mutating func slice(_ count: Int) throws(ByteError) -> Span<UInt8> {
        let range = try self.skip(count)
        return self.bytes.extracting(range)
    }

    /// A copy of the next `count` bytes.
    package mutating func array(_ count: Int) throws(ByteError) -> [UInt8] {
        [UInt8](copying: try self.slice(count))
    }

    /// Moves past `count` bytes and says where they lie.
    package mutating func skip(_ count: Int) throws(ByteError) -> Range<Int> {
        guard count >= 0, count <= self.remaining else { throw ByteError(.truncated, at: self.bytes.count) }
        defer { self.offset += count }
        return self.offset..<(self.offset + count)
    }
}
