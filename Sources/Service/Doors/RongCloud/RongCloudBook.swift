internal import Conversing
internal import Keeping
internal import Vocabulary

/// In which book the door keeps what, and under which names.
enum RongCloudBook {
    private static let prefix = "rongcloud:"

    /// The words under which users are found (`user/tag`), as JSON, by user.
    static let tags = prefix + "tags"
    /// `message/history/delete`: hours of which nothing is told any more.
    static let forgottenHours = prefix + "forgottenHours"
    /// Files of past hours: hour, then file.
    static let hours = prefix + "hours"
    /// What is said in the place of an operator's words, by word.
    static let words = prefix + "words"
    /// When devices of a user make no sound, by user.
    static let quietTimes = prefix + "quietTimes"
    /// Users who may say nothing in any chat room, or in any group, and until when.
    static let silencedInRooms = prefix + "silencedInRooms"
    static let silencedInGroups = prefix + "silencedInGroups"
    /// Groups and rooms in which nobody says anything but those of another book.
    static let silentGroups = prefix + "silentGroups"
    static let silentRooms = prefix + "silentRooms"
    /// Rooms in which nothing is told just now.
    static let stoppedRooms = prefix + "stoppedRooms"
    static let keptRooms = prefix + "keptRooms"
    static let lesserTypes = prefix + "lesserTypes"
    static let favouredTypes = prefix + "favouredTypes"
    /// What is still to be said to everybody.
    static let broadcasts = prefix + "broadcasts"

    static let voices = prefix + "voices:"
    static func voices(in place: ConversationID) -> String { "\(self.voices)\(place.text)" }
    static func favoured(in place: ConversationID) -> String { "\(self.prefix)favoured:\(place.text)" }
    static func trusted(by user: UserID) -> String { "\(self.prefix)trusted:\(user.text)" }
    static func entries(of place: ConversationID) -> String { "\(self.prefix)entries:\(place.text)" }
    static func arrivals(in room: ConversationID) -> String { "\(self.prefix)arrivals:\(room.text)" }
    static func expansion(of message: EntryKey) -> String { "\(self.prefix)expansion:\(message.packed)" }
}
