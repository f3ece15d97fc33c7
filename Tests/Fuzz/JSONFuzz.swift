import JSON

/// Whatever comes, a text is refused or can be read to the last value.
enum JSONFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        guard let value = try? JSONReader(input.span).document() else { return }
        self.walk(input, value)
    }

    private static func walk(_ bytes: [UInt8], _ value: JSONValue) {
        let reader = JSONReader(bytes.span)
        switch value.kind {
        case .array:
            var elements = reader.elements(of: value)
            while let element = elements.next() { self.walk(bytes, element) }
        case .object:
            var members = reader.members(of: value)
            while let member = members.next() {
                guard let name = reader.text(at: member.key) else { preconditionFailure("a name cannot be read") }
                precondition(reader.isString(at: member.key, equalTo: name), "a name is not what it says")
                precondition(reader.member(name, of: value) != nil, "a member cannot be found")
                self.walk(bytes, member.value)
            }
        case .string:
            guard let text = reader.string(value) else { preconditionFailure("a string cannot be read") }
            self.roundTrip(text)
        case .bool:
            precondition(reader.bool(value) != nil)
        case .number:
            _ = reader.integer(value)
        case .null:
            break
        }
    }

    /// What the writer makes of a string is read as that string.
    private static func roundTrip(_ text: String) {
        var writer = JSONWriter()
        writer.string(text)
        let bytes = writer.bytes
        let reader = JSONReader(bytes.span)
        guard let value = try? reader.document() else { preconditionFailure("the writer wrote no JSON") }
        precondition(reader.string(value) == text, "a string came back changed")
    }
}
