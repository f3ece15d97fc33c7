/// Writes JSON at the back of a byte array. Commas set themselves.
///
///     var json = JSONWriter()
///     json.object { json in
///         json.field("sid", sid)
///         json.array("upgrades") { json in json.string("websocket") }
///     }
package struct JSONWriter: Hashable, Sendable {
    package private(set) var bytes: [UInt8]

    /// Goes on behind what is there already, say a packet's header.
    package init(after bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    package mutating func object(_ content: (inout JSONWriter) -> Void) {
        self.open(UInt8(ascii: "{"))
        content(&self)
        self.close(UInt8(ascii: "}"))
    }

    package mutating func array(_ content: (inout JSONWriter) -> Void) {
        self.open(UInt8(ascii: "["))
        content(&self)
        self.close(UInt8(ascii: "]"))
    }

    package mutating func open(_ bracket: UInt8) {
        self.separate()
        self.bytes.append(bracket)
    }

    package mutating func close(_ bracket: UInt8) {
        self.bytes.append(bracket)
    }

    /// A member's name; its value comes next.
    package mutating func key(_ name: String) {
        self.string(name)
        self.bytes.append(UInt8(ascii: ":"))
    }

    package mutating func string(_ text: String) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        let letters = text.utf8.span
        if letters.needsEscapes {
            for index in letters.indices { self.appendEscaped(letters[index]) }
        } else {
            self.append(letters)
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    /// - Parameter value: of at most 64 bits.
    @specialized(where Number == Int)
    @specialized(where Number == Int64)
    @specialized(where Number == UInt64)
    package mutating func integer<Number: BinaryInteger>(_ value: Number) {
        self.integer(isNegative: value < 0, UInt64(truncatingIfNeeded: value.magnitude))
    }

    /// Numbers are in nearly everything that is written, and a `String` of each would cost more than its digits.
    private mutating func integer(isNegative: Bool, _ magnitude: UInt64) {
        self.separate()
        if isNegative { self.bytes.append(UInt8(ascii: "-")) }
        let first = self.bytes.count
        var rest = magnitude
        repeat {
            self.bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self.reverse(from: first)
    }

    private mutating func reverse(from first: Int) {
        var (low, high) = (first, self.bytes.count - 1)
        while low < high {
            self.bytes.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
    }

    package mutating func bool(_ value: Bool) {
        self.separate()
        self.bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func null() {
        self.separate()
        self.bytes.append(contentsOf: "null".utf8)
    }

    /// One value, or several with their commas, exactly as they stand in some text that was proven before.
    package mutating func raw(_ values: Span<UInt8>) {
        guard !values.isEmpty else { return }
        self.makeRoom(for: values.count)
        self.separate()
        self.append(values)
    }

    package mutating func raw(_ values: [UInt8]) { self.raw(values.span) }

    // MARK: - Bytes

    private mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe self.bytes.append(contentsOf: $0) }
    }

    /// What is written around a large value fits in beside it, so that it is copied once.
    private mutating func makeRoom(for count: Int) {
        let wanted = self.bytes.count + count + 64
        guard wanted > self.bytes.capacity else { return }
        self.bytes.reserveCapacity(max(wanted, 2 * self.bytes.capacity))
    }

    /// No value ends in one of these bytes, so the last one tells whether a value stands before the next.
    private mutating func separate() {
        switch self.bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): return
        default: self.bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            self.bytes.append(UInt8(ascii: "\\"))
            self.bytes.append(byte)
        case 0x0A: self.bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: self.bytes.append(contentsOf: "\\r".utf8)
        case 0x09: self.bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            self.bytes.append(contentsOf: "\\u00".utf8)
            self.bytes.append(Self.hex[Int(byte >> 4)])
            self.bytes.append(Self.hex[Int(byte & 15)])
        default: self.bytes.append(byte)
        }
    }

    private static let hex = Array("0123456789abcdef".utf8)
}

// MARK: - Members with their names

extension JSONWriter {
    package mutating func field(_ name: String, _ text: String) {
        self.key(name)
        self.string(text)
    }

    @specialized(where Number == Int)
    @specialized(where Number == Int64)
    @specialized(where Number == UInt64)
    package mutating func field<Number: BinaryInteger>(_ name: String, _ number: Number) {
        self.key(name)
        self.integer(number)
    }

    package mutating func field(_ name: String, _ value: Bool) {
        self.key(name)
        self.bool(value)
    }

    /// A value that was proven before, as it stands.
    package mutating func field(_ name: String, raw value: [UInt8]) {
        self.key(name)
        self.raw(value)
    }

    /// A value of any kind.
    package mutating func field(_ name: String, _ write: (inout JSONWriter) -> Void) {
        self.key(name)
        write(&self)
    }

    package mutating func object(_ name: String, _ content: (inout JSONWriter) -> Void) {
        self.key(name)
        self.object(content)
    }

    package mutating func array(_ name: String, _ content: (inout JSONWriter) -> Void) {
        self.key(name)
        self.array(content)
    }

    package mutating func array<Element>(
        _ name: String, of elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.array(name) { json in for element in elements { write(&json, element) } }
    }

    // MARK: - What may be missing

    // Three functions instead of a generic one: its caller would make the type of the optional at run time, before any specialised
    // code is chosen (docs/decisions/0003-generic-code-between-rooms.md).

    /// Stays away when it is nil.
    package mutating func optional(_ name: String, _ text: String?) {
        if let text { self.field(name, text) }
    }

    package mutating func optional(_ name: String, _ number: Int?) {
        if let number { self.field(name, number) }
    }

    package mutating func optional(_ name: String, _ number: Int64?) {
        if let number { self.field(name, number) }
    }

    package mutating func optional(_ name: String, _ number: UInt64?) {
        if let number { self.field(name, number) }
    }

    /// Null when it is nil, for readers who want every name.
    package mutating func nullable(_ name: String, _ text: String?) {
        self.nullable(name, text) { $0.string($1) }
    }

    package mutating func nullable(_ name: String, _ number: Int?) {
        self.nullable(name, number) { $0.integer($1) }
    }

    package mutating func nullable(_ name: String, _ value: Bool?) {
        self.nullable(name, value) { $0.bool($1) }
    }

    package mutating func nullable<Value>(_ name: String, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void) {
        self.key(name)
        if let value { write(&self, value) } else { self.null() }
    }

    // MARK: - Whole objects

    /// Texts under their names, in the middle of an object; what is nil stays away.
    package mutating func members(_ members: [(String, String?)]) {
        for (name, text) in members { self.optional(name, text) }
    }

    /// An object of texts, and what `more` adds to it.
    package mutating func fields(_ fields: (String, String)..., more: (inout JSONWriter) -> Void = { _ in }) {
        self.fields(fields, more: more)
    }

    package mutating func fields(_ fields: [(String, String)], more: (inout JSONWriter) -> Void) {
        self.object { json in
            for (name, text) in fields { json.field(name, text) }
            more(&json)
        }
    }

    /// The bytes of one value.
    package static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        write(&json)
        return json.bytes
    }

    /// The bytes of one object.
    package static func object(_ content: (inout JSONWriter) -> Void) -> [UInt8] {
        self.bytes { $0.object(content) }
    }
}

extension Span<UInt8> {
    fileprivate var needsEscapes: Bool {
        for index in self.indices where self[index] < 0x20 || self[index] == 0x22 || self[index] == 0x5C { return true }
        return false
    }
}
