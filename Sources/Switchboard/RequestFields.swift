internal import JSON
internal import SocketIO
internal import SocketServer
internal import Vocabulary

/// The fields of a request: of the one object it has for an argument. An event without arguments has none.
struct RequestFields: ~Escapable {
    private let reader: JSONReader
    /// Found in one walk, since a body is long and its neighbours are many.
    private let members: [JSONMembers.Member]

    @_lifetime(copy bytes)
    init(_ event: SocketEvent, _ bytes: Span<UInt8>) throws(SwitchboardError) {
        self.reader = JSONReader(bytes)
        guard event.argumentCount > 0 else {
            self.members = []
            return
        }
        guard event.argumentCount == 1, let object = Self.object(bytes, at: event.arguments) else {
            throw SwitchboardError(.badRequest, "a request has one object for its argument")
        }
        self.members = Self.members(of: object, self.reader)
    }

    /// Of a text that is nothing but the object.
    @_lifetime(copy bytes)
    init(document bytes: Span<UInt8>) throws(SwitchboardError) {
        self.reader = JSONReader(bytes)
        guard let object = try? self.reader.document(), object.kind == .object else {
            throw SwitchboardError(.badRequest, "the body is one JSON object")
        }
        self.members = Self.members(of: object, self.reader)
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

    /// The fields of an object among the fields.
    @_lifetime(copy self)
    func inner(_ name: String) -> RequestFields { RequestFields(self.reader, self.value(name)) }

    @_lifetime(copy reader)
    private init(_ reader: borrowing JSONReader, _ object: JSONValue?) {
        self.reader = JSONReader(reader.bytes)
        self.members = object.map { Self.members(of: $0, reader) } ?? []
    }

    func value(_ name: String) -> JSONValue? {
        // When a name stands twice the last one counts, as in JavaScript.
        for member in self.members.reversed() where self.reader.isString(at: member.key, equalTo: name) {
            return member.value.kind == .null ? nil : member.value
        }
        return nil
    }

    func raw(_ name: String) -> [UInt8]? { self.value(name).map { self.reader.raw($0) } }
    func bool(_ name: String) -> Bool { self.value(name).flatMap { self.reader.bool($0) } ?? false }

    func integer(_ name: String) throws(SwitchboardError) -> Int? {
        guard let value = self.value(name) else { return nil }
        guard let number = self.reader.integer(value) else {
            throw SwitchboardError(.badRequest, "'\(name)' is a whole number")
        }
        return number
    }

    /// The number of an entry.
    func number(_ name: String) throws(SwitchboardError) -> UInt64? {
        guard let number = try self.integer(name) else { return nil }
        guard let number = UInt64(exactly: number) else {
            throw SwitchboardError(.badRequest, "'\(name)' is the number of an entry")
        }
        return number
    }

    func requiredNumber(_ name: String) throws(SwitchboardError) -> UInt64 {
        guard let number = try self.number(name) else {
            throw SwitchboardError(.badRequest, "'\(name)' is missing")
        }
        return number
    }

    /// An object's bytes as they stand.
    func object(_ name: String, atMost limit: Int) throws(SwitchboardError) -> [UInt8]? {
        guard let value = self.value(name) else { return nil }
        guard value.kind == .object, value.range.count <= limit else {
            throw SwitchboardError(.badRequest, "'\(name)' is an object of at most \(limit) bytes")
        }
        return self.reader.raw(value)
    }

    /// An object of numbers.
    func numbers(_ name: String, atMost limit: Int) throws(SwitchboardError) -> [ConversationID: UInt64] {
        guard let object = self.value(name) else { return [:] }
        let refusal = SwitchboardError(.badRequest, "'\(name)' has at most \(limit) numbers by conversation")
        guard object.kind == .object else { throw refusal }
        var numbers: [ConversationID: UInt64] = [:]
        var members = self.reader.members(of: object)
        while let member = members.next() {
            guard numbers.count < limit, let id = self.reader.text(at: member.key).flatMap({ ConversationID($0) }),
                let number = self.reader.integer(member.value).flatMap({ UInt64(exactly: $0) })
            else { throw refusal }
            numbers[id] = number
        }
        return numbers
    }

    /// A field that may be missing, but not be something else.
    func text<Name>(_ name: String, as make: (String) -> Name?) throws(SwitchboardError) -> Name? {
        guard let value = self.value(name) else { return nil }
        guard let text = self.reader.string(value), let made = make(text) else {
            throw SwitchboardError(.badRequest, "'\(name)' is not what it should be")
        }
        return made
    }

    func required<Name>(_ name: String, as make: (String) -> Name?) throws(SwitchboardError) -> Name {
        guard let value = try self.text(name, as: make) else {
            throw SwitchboardError(.badRequest, "'\(name)' is missing")
        }
        return value
    }

    func users(_ name: String, atMost limit: Int) throws(SwitchboardError) -> [UserID] {
        guard let list = self.value(name), list.kind == .array else {
            throw SwitchboardError(.badRequest, "'\(name)' is a list of users")
        }
        var users: [UserID] = []
        var elements = self.reader.elements(of: list)
        while let element = elements.next() {
            guard users.count < limit, let user = self.reader.string(element).flatMap({ UserID($0) }) else {
                throw SwitchboardError(.badRequest, "'\(name)' is a list of at most \(limit) users")
            }
            users.append(user)
        }
        return users
    }
}
