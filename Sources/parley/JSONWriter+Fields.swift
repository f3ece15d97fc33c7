internal import JSON

/// The members of the objects that commands print.
extension JSONWriter {
    mutating func field(_ name: String, _ text: String?) {
        self.key(name)
        if let text { self.string(text) } else { self.null() }
    }

    mutating func field(_ name: String, _ number: Int?) {
        self.key(name)
        if let number { self.integer(number) } else { self.null() }
    }

    mutating func field(_ name: String, _ isTrue: Bool) {
        self.key(name)
        self.bool(isTrue)
    }

    /// With so many digits after the point.
    mutating func field(_ name: String, _ number: Double?, digits: Int) {
        self.key(name)
        if let number, number.isFinite { self.raw(Array(number.fixed(digits).utf8)) } else { self.null() }
    }

    mutating func field(_ name: String, _ numbers: [Int]) {
        self.key(name)
        self.array { json in for number in numbers { json.integer(number) } }
    }

    /// One object as a line of text.
    static func line(_ content: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.object(content)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
