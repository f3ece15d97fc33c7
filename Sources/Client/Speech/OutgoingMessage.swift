internal import JSON
package import Vocabulary

/// Something one says, and the name it keeps however often it is said: it is there once.
package struct OutgoingMessage: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case sending
        /// It is on the server's disk.
        case sent(ChatOutcome)
        /// The server said no, or nothing in time. It can be said again.
        case failed(ClientError)
    }

    package let id: MessageID
    package let target: ChatTarget
    package let kind: String
    package let body: RawJSON

    package init(_ body: RawJSON, kind: String = "text", to target: ChatTarget, as id: MessageID) {
        self.id = id
        self.target = target
        self.kind = kind
        self.body = body
    }
}

extension OutgoingMessage {
    var argument: RawJSON {
        RawJSON { json in
            json.members([self.target.member, ("kind", self.kind), ("id", self.id.text)])
            json.field("body", raw: self.body.bytes)
        }
    }
}
