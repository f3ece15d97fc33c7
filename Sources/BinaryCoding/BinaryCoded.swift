package import Bytes

/// What one node writes and another reads: fields behind each other, numbers of the needed width, lengths before texts.
///
///     struct Seat: BinaryCoded {
///         func encode(into bytes: inout ByteWriter) { … }
///         init(from bytes: inout ByteReader) throws(ByteError) { … }
///     }
package protocol BinaryCoded {
    func encode(into bytes: inout ByteWriter)
    init(from bytes: inout ByteReader) throws(ByteError)
    /// Many, behind their number.
    static func encode(_ values: [Self], into bytes: inout ByteWriter)
    static func values(_ count: Int, from bytes: inout ByteReader) throws(ByteError) -> [Self]
}

extension BinaryCoded {
    package static func encode(_ values: [Self], into bytes: inout ByteWriter) {
        for value in values { value.encode(into: &bytes) }
    }

    package static func values(_ count: Int, from bytes: inout ByteReader) throws(ByteError) -> [Self] {
        var values: [Self] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try Self(from: &bytes)) }
        return values
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        self.encode(into: &writer)
        return writer.bytes
    }

    /// Nothing may be left over.
    package init(decoding bytes: Span<UInt8>) throws(ByteError) {
        var reader = ByteReader(bytes)
        self = try Self(from: &reader)
        guard reader.isAtEnd else { throw ByteError(.outOfRange, at: reader.offset) }
    }
}

extension ByteWriter {
    package mutating func put(_ value: some BinaryCoded) { value.encode(into: &self) }

    /// One behind the other.
    package mutating func put<each Value: BinaryCoded>(_ values: repeat each Value) {
        repeat (each values).encode(into: &self)
    }
}

extension ByteReader {
    package mutating func take<Value: BinaryCoded>(_: Value.Type = Value.self) throws(ByteError) -> Value {
        try Value(from: &self)
    }
}
