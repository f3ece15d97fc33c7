package import JSON
internal import Vocabulary

/// One field of a request: its name, what it may hold, and how it is read and written. Everything that is known of a field
/// is said here once.
package struct Field<Value: Sendable>: Sendable {
    /// Most have one part; an address is one of two.
    package let parts: [FieldDescription]
    /// What it must be, as the end of a sentence.
    private let rule: String
    /// Throws when it is not there. Made with the field, like `find`: there the type is known, and need not be looked up for each
    /// request.
    package let read: @Sendable (borrowing JSONObject) throws(RequestError) -> Value
    /// Nil when it is not there.
    private let find: @Sendable (borrowing JSONObject) throws(RequestError) -> Value?
    private let write: @Sendable (Value, inout JSONWriter) -> Void

    init(
        _ parts: [FieldDescription], _ rule: String,
        find: @escaping @Sendable (borrowing JSONObject) throws(RequestError) -> Value?,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.parts = parts
        self.rule = rule
        self.read = { fields throws(RequestError) in
            guard let value = try find(fields) else {
                throw RequestError(.badRequest, "\(parts.inWords) is missing: it must be \(rule)")
            }
            return value
        }
        self.find = find
        self.write = write
    }

    /// Nil when it is not there.
    package func readIfThere(_ fields: borrowing JSONObject) throws(RequestError) -> Value? { try self.find(fields) }

    /// May be missing, but not be something else.
    package var optional: Field<Value?> {
        let (find, write) = (self.find, self.write)
        return Field<Value?>(self.parts.map(\.optional), self.rule) { fields throws(RequestError) in
            .some(try find(fields))
        } write: { value, json in
            if let value { write(value, &json) }
        }
    }

    /// The same where the type is known, as `.optional(.user)`.
    package static func optional<Wrapped>(_ field: Field<Wrapped>) -> Field where Value == Wrapped? { field.optional }

    /// Means this when it is missing.
    package func or(_ usual: Value) -> Field {
        let find = self.find
        return Field(self.parts.map(\.optional), self.rule) { fields throws(RequestError) in
            try find(fields) ?? usual
        } write: { [write] value, json in
            write(value, &json)
        }
    }

    /// As an argument of a request of one's own.
    package func callAsFunction(_ value: Value) -> Argument {
        Argument(self.parts.map(\.name)) { [write] json in write(value, &json) }
    }
}

/// What is told of a field to those who describe it.
package struct FieldDescription: Hashable, Sendable {
    /// The words of JSON Schema for what JSON knows.
    package enum Kind: String, Hashable, Sendable {
        case string, integer, boolean, array, object
    }

    package let name: String
    package let kind: Kind
    package private(set) var isOptional = false

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    package var optional: FieldDescription {
        var copy = self
        copy.isOptional = true
        return copy
    }

    /// As `docs/protocol.md` writes it.
    package var signature: String { "\"\(self.name)\"\(self.isOptional ? "?" : "")" }

    static func text(_ name: String) -> FieldDescription { FieldDescription(name, .string) }
    static func number(_ name: String) -> FieldDescription { FieldDescription(name, .integer) }
    static func flag(_ name: String) -> FieldDescription { FieldDescription(name, .boolean) }
    static func list(_ name: String) -> FieldDescription { FieldDescription(name, .array) }
    static func object(_ name: String) -> FieldDescription { FieldDescription(name, .object) }
}

extension [FieldDescription] {
    fileprivate var inWords: String {
        "field " + self.map { "'\($0.name)'" }.joined(separator: " or ")
    }
}

/// A field with its value, on its way to a server.
package struct Argument: Sendable {
    package let names: [String]
    private let content: @Sendable (inout JSONWriter) -> Void

    init(_ names: [String], _ content: @escaping @Sendable (inout JSONWriter) -> Void) {
        self.names = names
        self.content = content
    }

    package func write(to json: inout JSONWriter) { self.content(&json) }
}

// MARK: - Kinds of fields

extension Field {
    /// - Parameter rule: the end of "field 'x' must be".
    private init(
        _ part: FieldDescription, _ rule: String, _ type: JSONType<Value>,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.init([part], rule) { fields throws(RequestError) in
            guard let found = fields.value(part.name) else { return nil }
            guard let value = type.read(fields.reader, found) else {
                throw RequestError(.badRequest, "field '\(part.name)' must be \(rule)")
            }
            return value
        } write: { value, json in
            json.key(part.name)
            write(value, &json)
        }
    }

    /// A text that is checked once, by `make`.
    static func text(
        _ name: String, _ rule: String, _ text: @escaping @Sendable (Value) -> String,
        _ make: @escaping @Sendable (String) -> Value?
    ) -> Field {
        Field(.text(name), rule, JSONType { $0.string($1).flatMap(make) }) { $1.string(text($0)) }
    }

    /// A number that is checked once, by `make`.
    static func number(
        _ name: String, _ rule: String, _ number: @escaping @Sendable (Value) -> Int,
        _ make: @escaping @Sendable (Int) -> Value?
    ) -> Field {
        Field(.number(name), rule, JSONType { $0.integer($1).flatMap(make) }) { $1.integer(number($0)) }
    }
}

extension Field<String> {
    static func text(_ name: String, maximumBytes limit: Int) -> Field {
        .text(name, "a text of at most \(limit) bytes", { $0 }) { $0.utf8.count <= limit ? $0 : nil }
    }
}

extension Field<Bool> {
    static func flag(_ name: String) -> Field {
        Field(.flag(name), "true or false", .bool) { $1.bool($0) }
    }
}

extension Field<Int> {
    static func number(_ name: String, in range: ClosedRange<Int>) -> Field {
        .number(name, "a whole number from \(range.lowerBound) to \(range.upperBound)", { $0 }) {
            range.contains($0) ? $0 : nil
        }
    }

    /// What lies outside is taken for the nearest that does not.
    static func number(_ name: String, clampedTo range: ClosedRange<Int>) -> Field {
        .number(name, "a whole number", { $0 }) { min(max($0, range.lowerBound), range.upperBound) }
    }
}

extension Field<UInt64> {
    static func entry(_ name: String) -> Field {
        .number(name, "the number of an entry", { Int(clamping: $0) }) { UInt64(exactly: $0) }
    }
}

extension Field<[UserID]> {
    static func users(_ name: String, maximum: Int) -> Field {
        let ids = JSONType.text.map { UserID($0) }
        return Field(.list(name), "a list of at most \(maximum) user ids", ids.list(maximum: maximum)) { users, json in
            json.array { json in for user in users { json.string(user.text) } }
        }
    }
}

extension Field<[ConversationID: UInt64]> {
    static func positions(_ name: String, maximum: Int) -> Field {
        let numbers = JSONType.integer.map { UInt64(exactly: $0) }
        let type = numbers.byName(maximum: maximum) { ConversationID($0) }
        return Field(.object(name), "at most \(maximum) numbers by conversation", type) { positions, json in
            json.object { json in for (id, number) in positions { json.field(id.text, number) } }
        }
    }
}

extension Field {
    /// An object whose bytes are passed on as they stand.
    static func object(
        _ name: String, maximumBytes limit: Int, _ make: @escaping @Sendable ([UInt8]) -> Value,
        write: @escaping @Sendable (Value) -> [UInt8]
    ) -> Field {
        let type = JSONType.object(maximumBytes: limit).map(make)
        return Field(.object(name), "an object of at most \(limit) bytes", type) { $1.raw(write($0)) }
    }
}
