internal import JSON

/// The members of a request's one object. A request without an argument has none.
package struct RequestFields: ~Escapable {
    private let reader: JSONReader
    /// Found in one walk, since a body is long and its neighbours are many.
    private let members: [JSONMembers.Member]

    /// - Parameter arguments: where the arguments of an event stand in `bytes`, and how many they are.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, arguments: Range<Int>, count: Int) throws(RequestError) {
        self.reader = JSONReader(bytes)
        guard count > 0 else {
            self.members = []
            return
        }
        guard count == 1, let object = Self.object(bytes, at: arguments) else {
            throw RequestError(.badRequest, "a request has one object for its argument")
        }
        self.members = Self.members(of: object, self.reader)
    }

    /// Of a text that is nothing but the object.
    @_lifetime(copy bytes)
    package init(document bytes: Span<UInt8>) throws(RequestError) {
        self.reader = JSONReader(bytes)
        guard let object = try? self.reader.document(), object.kind == .object else {
            throw RequestError(.badRequest, "the body must be one JSON object")
        }
        self.members = Self.members(of: object, self.reader)
    }

    @_lifetime(copy reader)
    private init(_ reader: borrowing JSONReader, _ object: JSONValue) {
        self.reader = JSONReader(reader.bytes)
        self.members = Self.members(of: object, reader)
    }

    private static func members(of object: JSONValue, _ reader: borrowing JSONReader) -> [JSONMembers.Member] {
        var members: [JSONMembers.Member] = []
        var walk = reader.members(of: object)
        while let member = walk.next() { members.append(member) }
        return members
    }

    private static func object(_ bytes: Span<UInt8>, at range: Range<Int>) -> JSONValue? {
        var scanner = JSONScanner(bytes, at: range.lowerBound)
        guard let value = try? scanner.value(), value.kind == .object else { return nil }
        return value
    }

    private func value(_ name: String) -> JSONValue? {
        // When a name stands twice the last one counts, as in JavaScript.
        for member in self.members.reversed() where self.reader.isString(at: member.key, equalTo: name) {
            return member.value.kind == .null ? nil : member.value
        }
        return nil
    }
}

// MARK: - What a field holds

extension RequestFields {
    /// What became of a member: it is not there, it is something else than it must be, or it is this.
    enum Found<Value> {
        case missing
        case wrong
        case value(Value)
    }

    private func find<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Found<Value> {
        guard let value = self.value(name) else { return .missing }
        return read(value).map { .value($0) } ?? .wrong
    }

    func has(_ name: String) -> Bool { self.value(name) != nil }
    func text(_ name: String) -> Found<String> { self.find(name) { self.reader.string($0) } }
    func integer(_ name: String) -> Found<Int> { self.find(name) { self.reader.integer($0) } }
    func bool(_ name: String) -> Found<Bool> { self.find(name) { self.reader.bool($0) } }

    /// An object's bytes as they stand.
    func object(_ name: String, maximumBytes limit: Int) -> Found<[UInt8]> {
        self.find(name) { $0.kind == .object && $0.range.count <= limit ? self.reader.raw($0) : nil }
    }

    func list<Element>(_ name: String, maximum: Int, of make: (String) -> Element?) -> Found<[Element]> {
        self.find(name) { list in
            guard list.kind == .array else { return nil }
            var found: [Element] = []
            var elements = self.reader.elements(of: list)
            while let element = elements.next() {
                guard found.count < maximum, let made = self.reader.string(element).flatMap(make) else { return nil }
                found.append(made)
            }
            return found
        }
    }

    /// An object of numbers.
    func numbers<Key: Hashable>(_ name: String, maximum: Int, by make: (String) -> Key?) -> Found<[Key: UInt64]> {
        self.find(name) { object in
            guard object.kind == .object else { return nil }
            var numbers: [Key: UInt64] = [:]
            var members = self.reader.members(of: object)
            while let member = members.next() {
                guard numbers.count < maximum, let key = self.reader.text(at: member.key).flatMap(make),
                    let number = self.reader.integer(member.value).flatMap({ UInt64(exactly: $0) })
                else { return nil }
                numbers[key] = number
            }
            return numbers
        }
    }

    /// The members of an object among the members; none when there is something else.
    @_lifetime(copy self)
    func inner(_ name: String) -> RequestFields {
        RequestFields(self.reader, self.value(name) ?? JSONValue(.null, at: 0..<0))
    }
}
