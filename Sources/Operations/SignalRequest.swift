internal import JSON
package import Vocabulary

/// Where a signal may go.
package enum SignalScope: Hashable, Sendable {
    case room(RoomName)
    case call(CallID)

    /// As a field of the signal.
    package var argument: Argument {
        switch self {
        case .room(let room): Field.room(room)
        case .call(let call): Field.call(call)
        }
    }
}

/// What a signal carries, by the name of its field.
package enum SignalContent: String, Hashable, Sendable, CaseIterable {
    /// `RTCSessionDescriptionInit`
    case description
    /// `RTCIceCandidateInit`
    case candidate
    /// Whatever the two have agreed on.
    case data

    /// - Parameter json: one sound JSON value.
    package func argument(_ json: [UInt8]) -> Argument {
        Argument([self.rawValue]) { $0.field(self.rawValue, raw: json) }
    }
}

/// `signal`: what one client wants another to have and the server does not read. There is more of it than of everything
/// else together, so its fields are found in one walk without the index of a `JSONObject`, and what is passed on stays where
/// it is.
package struct SignalRequest: Hashable, Sendable {
    package let scope: SignalScope
    package let receiver: SessionID?
    package let content: SignalContent
    /// The content's bytes, as they stand.
    package let json: Range<Int>

    static let description = OperationDescription(
        fields: Field.room.parts.map(\.optional) + Field.call.parts.map(\.optional)
            + Field.receiver.parts.map(\.optional)
            + SignalContent.allCases.map { FieldDescription.object($0.rawValue).optional },
        answer: .relayed, refusals: [.notFound, .notMember, .forbidden, .callOver, .notAnswered, .answeredElsewhere])

    package init(_ bytes: Span<UInt8>, arguments: Range<Int>, count: Int) throws(RequestError) {
        let reader = JSONReader(bytes)
        // That it is sound JSON was proven when it came; only its kind is left to see.
        guard count == 1, let start = reader.objectStart(in: arguments) else {
            throw RequestError(.badRequest, "a request has one object for its argument")
        }
        var found = Found()
        var members = reader.members(of: JSONValue(.object, at: start..<arguments.upperBound))
        while let member = members.next() { try found.take(member, reader) }
        guard let scope = found.scope else {
            throw RequestError(.badRequest, "a signal names its 'room' or its 'call'")
        }
        guard let (content, json) = found.content else {
            throw RequestError(.badRequest, "a signal carries a 'description', a 'candidate' or 'data'")
        }
        self.scope = scope
        self.receiver = found.receiver
        self.content = content
        self.json = json
    }

    private struct Found {
        var scope: SignalScope?
        var receiver: SessionID?
        var content: (SignalContent, Range<Int>)?

        mutating func take(_ member: JSONMembers.Member, _ reader: borrowing JSONReader) throws(RequestError) {
            switch reader.text(at: member.key) {
            case "room": self.scope = .room(try Self.name(member, reader) { RoomName($0) })
            case "call": self.scope = .call(try Self.name(member, reader) { CallID($0) })
            case "to" where member.value.kind != .null:
                self.receiver = try Self.name(member, reader) { SessionID($0) }
            case let name?:
                if let content = SignalContent(rawValue: name) { self.content = (content, member.value.range) }
            case nil: break
            }
        }

        private static func name<Name>(
            _ member: JSONMembers.Member, _ reader: borrowing JSONReader, as make: (String) -> Name?
        ) throws(RequestError) -> Name {
            guard let name = reader.string(member.value).flatMap(make) else {
                throw RequestError(.badRequest, "field \(reader.text(at: member.key) ?? "") must be a name")
            }
            return name
        }
    }
}
