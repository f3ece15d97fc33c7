package import Operations
package import Vocabulary

/// What members of a room and the two sides of a call pass to each other.
package struct SignalMessage: Hashable, Sendable {
    package enum Scope: Hashable, Sendable {
        case room(RoomName)
        case call(CallID)
    }

    package enum Content: Hashable, Sendable {
        case description(RawJSON)
        case candidate(RawJSON)
        case data(RawJSON)
    }

    package let scope: Scope
    package let from: SessionID
    package let content: Content
    /// Its place among the room's events, when it went to all.
    package let number: UInt64?

    init?(_ json: RawJSON) {
        guard let scope = Scope(json), let content = Content(json), let from = json.name("from", { SessionID($0) })
        else { return nil }
        self.scope = scope
        self.from = from
        self.content = content
        self.number = json.number
    }
}

extension SignalMessage.Scope {
    init?(_ json: RawJSON) {
        if let room = json.name("room", { RoomName($0) }) {
            self = .room(room)
        } else if let call = json.name("call", { CallID($0) }) {
            self = .call(call)
        } else {
            return nil
        }
    }
}

extension SignalMessage.Content {
    init?(_ json: RawJSON) {
        for content in SignalContent.allCases {
            guard let value = json.member(content.rawValue) else { continue }
            self.init(content, value)
            return
        }
        return nil
    }

    private init(_ content: SignalContent, _ value: RawJSON) {
        switch content {
        case .description: self = .description(value)
        case .candidate: self = .candidate(value)
        case .data: self = .data(value)
        }
    }

    /// As a field of the request.
    package var argument: Argument {
        switch self {
        case .description(let value): SignalContent.description.argument(value.bytes)
        case .candidate(let value): SignalContent.candidate.argument(value.bytes)
        case .data(let value): SignalContent.data.argument(value.bytes)
        }
    }
}

extension RawJSON {
    /// The place of an event among those of its room.
    var number: UInt64? { self.integer("number").flatMap { UInt64(exactly: $0) } }
}
