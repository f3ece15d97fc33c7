/// The members of one JSON object, found in one walk. Nothing is copied before somebody asks for it.
package struct JSONObject: ~Escapable {
    /// How much is let through.
    package struct Rules: Sendable {
        let depth: Int
        let maximumMembers: Int
        let isStrict: Bool
        let names: Set<String>?

        /// - Parameter isStrict: no name may stand twice, and a null is a value of the wrong type. Otherwise the last of a
        ///   name counts, as in JavaScript, and a null is a member that is not there.
        /// - Parameter names: those that may stand there; nil for any.
        package init(
            depth: Int = JSONScanner.defaultDepth, maximumMembers: Int = .max, isStrict: Bool = false,
            names: Set<String>? = nil
        ) {
            self.depth = depth
            self.maximumMembers = maximumMembers
            self.isStrict = isStrict
            self.names = names
        }
    }

    package let reader: JSONReader
    package let members: [JSONMembers.Member]
    private let isStrict: Bool

    /// Of a text that is nothing but the object.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, _ rules: Rules = Rules()) throws(JSONObjectError) {
        let reader = JSONReader(bytes)
        let value: JSONValue
        do throws(JSONError) {
            value = try reader.document(depth: rules.depth)
        } catch {
            throw .notJSON(error)
        }
        try self.init(value, in: reader, rules)
    }

    /// Of a value that was found in a text.
    @_lifetime(copy reader)
    package init(_ value: JSONValue, in reader: borrowing JSONReader, _ rules: Rules = Rules()) throws(JSONObjectError)
    {
        guard value.kind == .object else { throw .notObject }
        self.reader = JSONReader(reader.bytes)
        self.members = Self.members(of: value, reader)
        self.isStrict = rules.isStrict
        try self.check(rules)
    }

    /// Of a value that was found in a text. One that is no object has no members.
    @_lifetime(copy reader)
    package init(found value: JSONValue?, in reader: borrowing JSONReader) {
        self.reader = JSONReader(reader.bytes)
        self.members = value.map { Self.members(of: $0, reader) } ?? []
        self.isStrict = false
    }

    /// Of the value that fills `range` of a text that was proven before. One that is no object has no members.
    @_lifetime(copy bytes)
    package init(proven bytes: Span<UInt8>, in range: Range<Int>) {
        let reader = JSONReader(bytes)
        let start = reader.objectStart(in: range)
        self.init(found: start.map { JSONValue(.object, at: $0..<range.upperBound) }, in: reader)
    }

    /// Of a text that was proven to be one value before. One that is no object has no members.
    @_lifetime(copy bytes)
    package init(proven bytes: Span<UInt8>) {
        let reader = JSONReader(bytes)
        self.init(found: reader.provenDocument, in: reader)
    }

    private static func members(of object: JSONValue, _ reader: borrowing JSONReader) -> [JSONMembers.Member] {
        var members: [JSONMembers.Member] = []
        members.reserveCapacity(8)
        var walk = reader.members(of: object)
        while let member = walk.next() { members.append(member) }
        return members
    }

    private func check(_ rules: Rules) throws(JSONObjectError) {
        guard self.members.count <= rules.maximumMembers else { throw .tooManyMembers }
        if let names = rules.names {
            for member in self.members where !names.contains(self.name(of: member)) {
                throw .unknown(self.name(of: member))
            }
        }
        if rules.isStrict { try self.checkDifferent() }
    }

    private func checkDifferent() throws(JSONObjectError) {
        let names = self.members.map { self.name(of: $0) }
        // Of few names each is compared with all: that is less than to hash them.
        guard names.count > 8 else {
            for (index, name) in names.enumerated() where names[..<index].contains(name) { throw .duplicate(name) }
            return
        }
        var met: Set<String> = []
        for name in names where !met.insert(name).inserted { throw .duplicate(name) }
    }

    package func name(of member: JSONMembers.Member) -> String { self.reader.text(at: member.key) ?? "" }

    package func value(_ name: String) -> JSONValue? {
        for member in self.members.reversed() where self.reader.isString(at: member.key, equalTo: name) {
            return member.value.kind == .null && !self.isStrict ? nil : member.value
        }
        return nil
    }
}

// MARK: - Members of a type

extension JSONObject {
    /// Nil when it is not there.
    package func optional<Value>(_ name: String, _ type: JSONType<Value>) throws(JSONObjectError) -> Value? {
        guard let found = self.value(name) else { return nil }
        guard let value = type.read(self.reader, found) else { throw .wrongType(name) }
        return value
    }

    package func required<Value>(_ name: String, _ type: JSONType<Value>) throws(JSONObjectError) -> Value {
        guard let value = try self.optional(name, type) else { throw .missing(name) }
        return value
    }

    /// `usual` when it is not there.
    package func member<Value>(
        _ name: String, _ type: JSONType<Value>, default usual: Value
    ) throws(JSONObjectError) -> Value {
        try self.optional(name, type) ?? usual
    }

    /// What is of another type is as good as not there.
    package subscript<Value>(_ name: String, _ type: JSONType<Value>) -> Value? {
        self.value(name).flatMap { type.read(self.reader, $0) }
    }

    /// The members of an object among the members; none when it is something else.
    @_lifetime(copy self)
    package func object(_ name: String) -> JSONObject { JSONObject(found: self.value(name), in: self.reader) }
}

/// What a member has to be, and what is made of it.
package struct JSONType<Value>: Sendable {
    package let read: @Sendable (borrowing JSONReader, JSONValue) -> Value?

    /// - Parameter read: answers nil for what is something else.
    package init(_ read: @escaping @Sendable (borrowing JSONReader, JSONValue) -> Value?) {
        self.read = read
    }

    /// Of a text that was proven to be one value before.
    package func read(proven json: [UInt8]) -> Value? {
        let reader = JSONReader(json.span)
        return self.read(reader, reader.provenDocument)
    }

    /// The same, checked once more.
    package func map<Other>(_ make: @escaping @Sendable (Value) -> Other?) -> JSONType<Other> {
        JSONType<Other> { [read] reader, value in read(reader, value).flatMap(make) }
    }

    /// An array in which everything is of this type.
    package func list(maximum: Int = .max) -> JSONType<[Value]> {
        JSONType<[Value]> { [read] reader, list in
            guard list.kind == .array else { return nil }
            var found: [Value] = []
            var elements = reader.elements(of: list)
            while let element = elements.next() {
                guard found.count < maximum, let value = read(reader, element) else { return nil }
                found.append(value)
            }
            return found
        }
    }

    /// One of this type, or an array of them.
    package var oneOrMore: JSONType<[Value]> {
        JSONType<[Value]> { [read, list = self.list()] in read($0, $1).map { [$0] } ?? list.read($0, $1) }
    }

    /// An object in which everything is of this type, by its names.
    package func byName<Key: Hashable & SendableMetatype>(
        maximum: Int, _ key: @escaping @Sendable (String) -> Key?
    ) -> JSONType<[Key: Value]> {
        JSONType<[Key: Value]> { [read] reader, object in
            guard object.kind == .object else { return nil }
            var found: [Key: Value] = [:]
            var members = reader.members(of: object)
            while let member = members.next() {
                guard found.count < maximum, let name = reader.text(at: member.key).flatMap(key),
                    let value = read(reader, member.value)
                else { return nil }
                found[name] = value
            }
            return found
        }
    }
}

extension JSONType<String> {
    package static var text: JSONType { JSONType { $0.string($1) } }
}

extension JSONType<Int> {
    package static var integer: JSONType { JSONType { $0.integer($1) } }
}

extension JSONType<Bool> {
    package static var bool: JSONType { JSONType { $0.bool($1) } }
}

extension JSONType<[UInt8]> {
    /// The bytes of a value of any type, as they stand.
    package static var raw: JSONType { JSONType { $0.raw($1) } }

    /// The bytes of an object, as they stand.
    package static func object(maximumBytes: Int) -> JSONType {
        JSONType { $1.kind == .object && $1.range.count <= maximumBytes ? $0.raw($1) : nil }
    }
}
