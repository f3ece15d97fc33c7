package import Conversing
internal import JSON
package import Vocabulary

/// For whom something is said.
package enum Recipient: Hashable, Sendable {
    case conversation(ConversationID)
    case user(UserID)
}

/// What is said: words of one's own, or those of a message that is forwarded.
package enum Posting: Hashable, Sendable {
    case said(MessageKind, MessageBody)
    case forwarded(MessagePlace)
}

/// Which message is meant.
package struct MessagePlace: Hashable, Sendable {
    package let conversation: ConversationID
    package let number: UInt64

    package init(_ conversation: ConversationID, _ number: UInt64) {
        self.conversation = conversation
        self.number = number
    }
}

extension Field<Recipient> {
    package static let recipient = Field(
        [.text("conversation").optional, .text("user").optional], "the id of a conversation, or of a user"
    ) { fields throws(RequestError) in
        if let id = try Field<ConversationID>.conversation.readIfThere(fields) { return .conversation(id) }
        return try Field<UserID>.user.readIfThere(fields).map { .user($0) }
    } write: { recipient, json in
        switch recipient {
        case .conversation(let id): Field<ConversationID>.conversation(id).write(to: &json)
        case .user(let user): Field<UserID>.user(user).write(to: &json)
        }
    }
}

extension Field<Posting> {
    package static let posting = Field(
        [.text("kind").optional, .object("body").optional, .object("forward").optional],
        "what is said, or the 'conversation' and 'number' of what is forwarded"
    ) { fields throws(RequestError) in
        // What is forwarded brings its own kind and body.
        if fields.value("forward") != nil { return .forwarded(try Self.place(fields.object("forward"))) }
        let kind = try Field<MessageKind>.messageKind.read(fields)
        return .said(kind, try Field<MessageBody>.body.read(fields))
    } write: { posting, json in
        switch posting {
        case .said(let kind, let body):
            Field<MessageKind>.messageKind(kind).write(to: &json)
            Field<MessageBody>.body(body).write(to: &json)
        case .forwarded(let place):
            json.object("forward") { json in
                Field<ConversationID>.conversation(place.conversation).write(to: &json)
                Field<UInt64>.number(place.number).write(to: &json)
            }
        }
    }

    private static func place(_ fields: borrowing JSONObject) throws(RequestError) -> MessagePlace {
        MessagePlace(try Field<ConversationID>.conversation.read(fields), try Field<UInt64>.number.read(fields))
    }
}

extension Field<MessageKind> {
    package static let messageKind = Field.text("kind", "1 to 64 letters, digits and _-.@:+=", \.text) {
        MessageKind($0)
    }.or(.text)
}

extension Field<MessageBody> {
    package static let body = Field.object("body", maximumBytes: RequestLimits.maximumBodyBytes) {
        MessageBody(proven: $0)
    } write: {
        $0.json
    }
}

extension Field<Reaction> {
    package static let reaction = Field.text("reaction", "1 to 32 bytes that can be seen", \.text) { Reaction($0) }
}

extension Field<Role> {
    package static let role = Field.text("role", "member, admin or owner", \.word) { Role($0) }
}

extension Field<ConversationKind> {
    package static let kind = Field.text("kind", "group or room", \.rawValue) { text in
        [.group, .room].first { $0.rawValue == text }
    }
}

extension Field<ReportTarget> {
    package static let reported = Field(
        [.text("conversation").optional, .number("number").optional, .text("room").optional, .text("user").optional],
        "the id of a conversation, with the number of a message there if one is meant, of a user, or a room, with the user who is meant if any"
    ) { fields throws(RequestError) in
        if let room = try Field<RoomName>.room.readIfThere(fields) {
            return .room(room, try Field<UserID>.user.readIfThere(fields))
        }
        guard let id = try Field<ConversationID>.conversation.readIfThere(fields) else {
            return try Field<UserID>.user.readIfThere(fields).map { .user($0) }
        }
        guard let number = try Field<UInt64>.number.readIfThere(fields) else { return .conversation(id) }
        return .message(id, number)
    } write: { target, json in
        switch target {
        case .user(let user): Field<UserID>.user(user).write(to: &json)
        case .room(let room, let user):
            Field<RoomName>.room(room).write(to: &json)
            Field<UserID>.user.optional(user).write(to: &json)
        case .conversation(let id): Field<ConversationID>.conversation(id).write(to: &json)
        case .message(let id, let number):
            Field<ConversationID>.conversation(id).write(to: &json)
            Field<UInt64>.number(number).write(to: &json)
        }
    }
}

extension Field<ReportReason> {
    package static let reason = Field.text(
        "reason", ReportReason.allCases.map(\.rawValue).joined(separator: ", "), \.rawValue
    ) { ReportReason(rawValue: $0) }
}
