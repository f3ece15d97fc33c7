internal import Calling
internal import Conversing
internal import JSON
package import Vocabulary

/// How much one request may ask for or bring.
package enum RequestLimits {
    /// Users named in one request.
    package static let maximumNames = 100
    package static let maximumWatched = PresenceSettings().maximumWatchedPerLine
    /// Entries, conversations or members in one answer.
    package static let maximumPage = 200
    package static let maximumPositions = 1000
    package static let maximumSynced = 1000
    package static let maximumRetentionDays = 36_500
    package static let maximumSlowSeconds = 21_600
    static let maximumBodyBytes = ConversationSettings().maximumBodyBytes
    static let maximumSearchBytes = 512
    static let maximumTokenBytes = 4096
    package static let maximumReportBytes = 4000
}

// MARK: - Names of things

extension Field<RoomName> {
    package static let room = Field.text("room", "1 to 64 lower-case letters, digits and dashes", \.text) {
        RoomName($0)
    }
}

extension Field<RoomKey> {
    package static let roomKey = Field(
        [.text("password").optional, .flag("byInvitation").optional], "a password, or 'byInvitation' true"
    ) { fields throws(RequestError) in
        RoomKey(
            password: try Field<String?>.optional(.roomPassword).read(fields),
            isByInvitation: try Field<Bool>.isByInvitation.read(fields))
    } write: { key, json in
        Field<String?>.optional(.roomPassword)(key.password).write(to: &json)
        if key.isByInvitation { Field<Bool>.isByInvitation(true).write(to: &json) }
    }
}

extension Field<CallID> {
    package static let call = Field.text("call", "the id of a call: 20 letters, digits, - and _", \.text) { CallID($0) }
}

extension Field<SessionID> {
    package static let replaced = Field.text("replaces", "the id of a member", \.text) { SessionID($0) }
    package static let receiver = Field.text("to", "the id of a member", \.text) { SessionID($0) }
}

extension Field<UserID> {
    package static let user = Field.text("user", "the id of a user", \.text) { UserID($0) }
    package static let afterUser = Field.text("after", "the id of a user", \.text) { UserID($0) }
}

extension Field<[UserID]> {
    package static let users = Field.users("users", maximum: RequestLimits.maximumNames)
    package static let mentions = Field.users("mentions", maximum: RequestLimits.maximumNames)
}

extension Field<ConversationID> {
    package static let conversation = Field.text("conversation", "the id of a conversation", \.text) {
        ConversationID($0)
    }
}

extension Field<MessageID> {
    /// The sender's own name for what it asks for.
    package static let client = Field.text("id", "1 to 64 letters, digits and _-.@:+=", \.text) { MessageID($0) }
}

// MARK: - Numbers and flags

extension Field<UInt64> {
    package static let number = Field.entry("number")
    package static let reply = Field.entry("reply")
    package static let before = Field.entry("before")
    package static let after = Field.entry("after")
}

extension Field<Int> {
    package static let limit = Field.number("limit", clampedTo: 1...RequestLimits.maximumPage)
    package static let syncLimit = Field.number("limit", clampedTo: 0...RequestLimits.maximumSynced)
    package static let newest = Field.number("newest", clampedTo: 1...RequestLimits.maximumPage)
    /// How many calls a device takes at once.
    package static let atOnce = Field.number("atOnce", in: 1...Int.max)
}

extension Field<Bool> {
    package static let isOn = Field.flag("on").or(true)
    package static let hasEcho = Field.flag("echo").or(true)
    package static let isByInvitation = Field.flag("byInvitation").or(false)
    /// Whether who is sent away may not come again.
    package static let isBanned = Field.flag("ban").or(false)
    /// Whoever takes a seat still has the media of the call.
    package static let keepsMedia = Field.flag("keeps").or(false)
}

extension Field<WallTime> {
    package static let until = Field.number("until", "a time in milliseconds since 1970", { Int($0.milliseconds) }) {
        WallTime(milliseconds: Int64($0))
    }
}

extension Field<Duration?> {
    /// Nil takes it back.
    package static let retention = Field(
        [.number("days").optional, .flag("on").optional], "a number of days, or 'on' false"
    ) { fields throws(RequestError) in
        guard try Field<Bool>.isOn.read(fields) else { return .some(nil) }
        return .seconds(Int64(try Field<Int>.days.read(fields)) * 86_400)
    } write: { retention, json in
        guard let retention else { return Field<Bool>.isOn(false).write(to: &json) }
        Field<Int>.days(Int(retention.components.seconds / 86_400)).write(to: &json)
    }
}

extension Field<Duration?> {
    /// Nil takes it back.
    package static let slowMode = Field(
        [.number("seconds").optional, .flag("on").optional], "a number of seconds, or 'on' false"
    ) { fields throws(RequestError) in
        guard try Field<Bool>.isOn.read(fields) else { return .some(nil) }
        return .seconds(Int64(try Field<Int>.seconds.read(fields)))
    } write: { slowMode, json in
        guard let slowMode else { return Field<Bool>.isOn(false).write(to: &json) }
        Field<Int>.seconds(Int(slowMode.components.seconds)).write(to: &json)
    }
}

extension Field<Int> {
    fileprivate static let seconds = Field.number("seconds", in: 1...RequestLimits.maximumSlowSeconds)
    fileprivate static let days = Field.number("days", in: 1...RequestLimits.maximumRetentionDays)
}

// MARK: - Words

extension Field<String> {
    package static let roomPassword = Field.text(
        "password", "a text of 1 to \(RoomPassword.maximumBytes) bytes", { $0 }
    ) { (1...RoomPassword.maximumBytes).contains($0.utf8.count) ? $0 : nil }
    /// What is searched for.
    package static let words = Field.text("text", maximumBytes: RequestLimits.maximumSearchBytes)
    package static let token = Field.text("token", maximumBytes: RequestLimits.maximumTokenBytes)
    /// Where the next page begins, as the one before said.
    package static let place = Field.text("before", maximumBytes: 64)
    package static let explanation = Field.text("text", maximumBytes: RequestLimits.maximumReportBytes)
    package static let afterPlace = Field.text("after", maximumBytes: 128)
}

extension Field<DisplayName> {
    package static let reason = Field.text("reason", "1 to 64 characters that can be seen", \.text) { DisplayName($0) }
    package static let title = Field.text("title", "1 to 64 characters that can be seen", \.text) { DisplayName($0) }
}

extension Field<[ConversationID: UInt64]> {
    package static let positions = Field.positions("positions", maximum: RequestLimits.maximumPositions)
}
