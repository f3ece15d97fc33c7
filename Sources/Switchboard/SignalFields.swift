internal import JSON
internal import SocketServer
internal import Vocabulary

/// Where a signal goes and which bytes of it, found in one walk: this is what there is most of.
struct SignalFields {
    let scope: Signal.Scope
    let target: SessionID?
    let content: Signal.Content
    let json: Range<Int>

    init(_ event: SocketEvent, _ bytes: Span<UInt8>) throws(SwitchboardError) {
        // That it is sound JSON was proven when it came; only its kind is left to see.
        guard event.argumentCount == 1, let start = JSONReader(bytes).objectStart(in: event.arguments) else {
            throw SwitchboardError(.badRequest, "a request has one object for its argument")
        }
        var found = Found()
        let reader = JSONReader(bytes)
        var members = reader.members(of: JSONValue(.object, at: start..<event.arguments.upperBound))
        while let member = members.next() { try found.take(member, reader) }
        guard let scope = found.scope else {
            throw SwitchboardError(.badRequest, "a signal names its 'room' or its 'call'")
        }
        guard let (content, json) = found.content else {
            throw SwitchboardError(.badRequest, "a signal carries a 'description', a 'candidate' or 'data'")
        }
        self.scope = scope
        self.target = found.target
        self.content = content
        self.json = json
    }

    private struct Found {
        var scope: Signal.Scope?
        var target: SessionID?
        var content: (Signal.Content, Range<Int>)?

        mutating func take(_ member: JSONMembers.Member, _ reader: borrowing JSONReader) throws(SwitchboardError) {
            switch reader.text(at: member.key) {
            case "room": self.scope = .room(try Self.name(member, reader, "room") { RoomName($0) })
            case "call": self.scope = .call(try Self.name(member, reader, "call") { CallID($0) })
            case "to" where member.value.kind != .null:
                self.target = try Self.name(member, reader, "to") { SessionID($0) }
            case "description": self.content = (.description, member.value.range)
            case "candidate": self.content = (.candidate, member.value.range)
            case "data": self.content = (.data, member.value.range)
            default: break
            }
        }

        private static func name<Name>(
            _ member: JSONMembers.Member, _ reader: borrowing JSONReader, _ field: StaticString,
            as make: (String) -> Name?
        ) throws(SwitchboardError) -> Name {
            guard let name = reader.string(member.value).flatMap(make) else {
                throw SwitchboardError(.badRequest, "'\(field)' is not what it should be")
            }
            return name
        }
    }
}
