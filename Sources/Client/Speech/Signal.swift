internal import JSON
package import Vocabulary

/// What members of a room and the two sides of a call pass to each other.
package struct Signal: Hashable, Sendable {
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

extension Signal.Scope {
    init?(_ json: RawJSON) {
        if let room = json.name("room", { RoomName($0) }) {
            self = .room(room)
        } else if let call = json.name("call", { CallID($0) }) {
            self = .call(call)
        } else {
            return nil
        }
    }

    var member: (String, String?) {
        switch self {
        case .room(let room): ("room", room.text)
        case .call(let call): ("call", call.text)
        }
    }
}

extension Signal.Content {
    init?(_ json: RawJSON) {
        if let description = json.member("description") {
            self = .description(description)
        } else if let candidate = json.member("candidate") {
            self = .candidate(candidate)
        } else if let data = json.member("data") {
            self = .data(data)
        } else {
            return nil
        }
    }

    func write(to json: inout JSONWriter) {
        let (name, value) =
            switch self {
            case .description(let value): ("description", value)
            case .candidate(let value): ("candidate", value)
            case .data(let value): ("data", value)
            }
        json.field(name, raw: value.bytes)
    }
}

extension RawJSON {
    /// The place of an event among those of its room.
    var number: UInt64? { self.integer("number").flatMap { UInt64(exactly: $0) } }
}
