/// What stands for a parameter (`$1`) of a statement. It travels in PostgreSQL's binary form, so the statement has to want
/// the same type: `bigint`, `text`, `bytea`, or arrays of them; where the server would guess another, write `$1::bigint`.
package enum PostgresValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case integers([Int64?])
    case texts([String?])
    case byteArrays([[UInt8]?])
}

/// The parameters of one statement, one after another in one buffer, as libpq wants them.
struct PostgresParameters {
    /// Where each begins; nil for NULL.
    private(set) var starts: [Int?] = []
    private(set) var lengths: [Int32] = []
    private(set) var bytes: [UInt8] = []

    /// The protocol counts parameters in 16 bits.
    static let most = 65_535

    init(_ values: [PostgresValue]) {
        self.starts.reserveCapacity(values.count)
        self.lengths.reserveCapacity(values.count)
        for value in values { self.append(value) }
    }

    private mutating func append(_ value: PostgresValue) {
        let start = self.bytes.count
        switch value {
        case .null:
            self.starts.append(nil)
            return self.lengths.append(0)
        case .integer(let integer): self.write(integer)
        case .text(let text): self.bytes.append(contentsOf: text.utf8)
        case .bytes(let bytes): self.bytes.append(contentsOf: bytes)
        case .integers(let list): self.writeArray(list, of: 20) { $0.write($1) { $0.write($1) } }
        case .texts(let list): self.writeArray(list, of: 25) { $0.write($1) { $0.bytes.append(contentsOf: $1.utf8) } }
        case .byteArrays(let list): self.writeArray(list, of: 17) { $0.write($1) { $0.bytes.append(contentsOf: $1) } }
        }
        self.starts.append(start)
        self.lengths.append(Int32(clamping: self.bytes.count - start))
    }

    private mutating func write<Integer: FixedWidthInteger>(_ integer: Integer) {
        unsafe withUnsafeBytes(of: integer.bigEndian) { unsafe self.bytes.append(contentsOf: $0) }
    }

    /// The form of `array_recv`: dimensions, whether there are nulls, the type, how many, the first index, the elements.
    private mutating func writeArray<Element>(
        _ list: [Element?], of type: UInt32, _ write: (inout Self, Element?) -> Void
    ) {
        self.write(Int32(list.isEmpty ? 0 : 1))
        self.write(Int32(list.contains { $0 == nil } ? 1 : 0))
        self.write(type)
        guard !list.isEmpty else { return }
        self.write(Int32(clamping: list.count))
        self.write(Int32(1))
        for element in list { write(&self, element) }
    }

    /// One element, after its length; NULL has the length -1.
    private mutating func write<Element>(_ element: Element?, _ body: (inout Self, Element) -> Void) {
        guard let element else { return self.write(Int32(-1)) }
        let place = self.bytes.count
        self.write(Int32(0))
        body(&self, element)
        let length = UInt32(clamping: self.bytes.count - place - 4)
        for index in 0..<4 { self.bytes[place + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
    }
}
