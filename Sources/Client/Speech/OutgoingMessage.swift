package import Conversing
internal import Operations
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
    package let kind: MessageKind
    package let body: RawJSON

    package init(_ body: RawJSON, kind: MessageKind = .text, to target: ChatTarget, as id: MessageID) {
        self.id = id
        self.target = target
        self.kind = kind
        self.body = body
    }
}

extension OutgoingMessage {
    var argument: RawJSON {
        RawJSON([
            Field.recipient(self.target.recipient), Field.messageKind(self.kind), Field.client(self.id),
            Field.body(MessageBody(proven: self.body.bytes)),
        ])
    }
}
