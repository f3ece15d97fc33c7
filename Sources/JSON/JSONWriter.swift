/// Writes JSON at the back of a byte array. Commas set themselves.
///
///     var json = JSONWriter()
///     json.object { json in
///         json.key("sid").string(sid)
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
        for byte in text.utf8 { self.appendEscaped(byte) }
        self.bytes.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: some BinaryInteger) {
        self.separate()
        self.bytes.append(contentsOf: String(value).utf8)
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
        self.separate()
        unsafe values.withUnsafeBufferPointer { unsafe self.bytes.append(contentsOf: $0) }
    }

    package mutating func raw(_ values: some Collection<UInt8>) {
        guard !values.isEmpty else { return }
        self.separate()
        self.bytes.append(contentsOf: values)
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
