// Sound files come from a little-endian world (RIFF, Ogg); the network does not.

extension ByteReader {
    /// A little-endian integer of any width.
    package mutating func readLittleEndian<Integer: FixedWidthInteger>(
        _: Integer.Type = Integer.self
    ) throws(ByteError) -> Integer {
        try self.read(Integer.self).byteSwapped
    }
}

extension ByteWriter {
    /// A little-endian integer of any width.
    package mutating func writeLittleEndian<Integer: FixedWidthInteger>(_ value: Integer) {
        self.write(value.byteSwapped)
    }
}
