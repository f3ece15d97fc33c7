package import Bytes

extension UInt8: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.write(self) }
    package init(from bytes: inout ByteReader) throws(ByteError) { self = try bytes.read() }

    package static func encode(_ values: [UInt8], into bytes: inout ByteWriter) { bytes.write(contentsOf: values) }

    package static func values(_ count: Int, from bytes: inout ByteReader) throws(ByteError) -> [UInt8] {
        try bytes.array(count)
    }
}

/// In sevens of bits, the lowest first.
extension UInt64: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        var rest = self
        while rest > 0x7F {
            bytes.write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.write(UInt8(truncatingIfNeeded: rest))
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte: UInt8 = try bytes.read()
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1) else { throw ByteError(.outOfRange, at: bytes.offset) }
            value |= bits << shift
            if byte < 0x80 { break }
            shift += 7
        }
        self = value
    }
}

extension Int64: BinaryCoded {
    /// The sign goes last, so that small numbers are short.
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(UInt64(bitPattern: self << 1 ^ self >> 63))
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        let folded: UInt64 = try bytes.take()
        self = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
    }
}

extension Int: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.put(Int64(self)) }
    package init(from bytes: inout ByteReader) throws(ByteError) { self = Int(try bytes.take(Int64.self)) }
}

extension Bool: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.write(self ? 1 : 0 as UInt8) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        switch try bytes.read() as UInt8 {
        case 0: self = false
        case 1: self = true
        case let other: throw ByteError(.unexpected(other), at: bytes.offset - 1)
        }
    }
}

extension String: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.utf8.count)
        bytes.write(self)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        let count: Int = try bytes.take()
        let letters = try bytes.array(count)
        guard let text = String(utf8: letters.span) else {
            throw ByteError(.malformed, at: bytes.offset)
        }
        self = text
    }
}

extension Optional: BinaryCoded where Wrapped: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self != nil)
        if let value = self { bytes.put(value) }
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self = try bytes.take(Bool.self) ? try bytes.take(Wrapped.self) : nil
    }
}

extension Array: BinaryCoded where Element: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.count)
        Element.encode(self, into: &bytes)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        let count: Int = try bytes.take()
        // An element has a byte at least, so a wrong count costs nothing.
        guard (0...bytes.remaining).contains(count) else { throw ByteError(.outOfRange, at: bytes.offset) }
        self = try Element.values(count, from: &bytes)
    }
}

extension Set: BinaryCoded where Element: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.put(Array(self)) }
    package init(from bytes: inout ByteReader) throws(ByteError) { self = Set(try bytes.take([Element].self)) }
}

extension Dictionary: BinaryCoded where Key: BinaryCoded, Value: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.count)
        for (key, value) in self {
            bytes.put(key)
            bytes.put(value)
        }
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        let count: Int = try bytes.take()
        guard (0...bytes.remaining).contains(count) else { throw ByteError(.outOfRange, at: bytes.offset) }
        self.init(minimumCapacity: count)
        for _ in 0..<count {
            let key: Key = try bytes.take()
            self[key] = try bytes.take(Value.self)
        }
    }
}

/// A word of a closed list.
extension BinaryCoded where Self: RawRepresentable, RawValue == String {
    package func encode(into bytes: inout ByteWriter) { bytes.put(self.rawValue) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        guard let value = Self(rawValue: try bytes.take()) else { throw ByteError(.malformed, at: bytes.offset) }
        self = value
    }
}
