internal import Bytes
internal import Conversing
internal import Hashing
internal import Keeping
internal import Vocabulary

/// How what programs name becomes conversations, and back. Their names keep their case, as ours do; what is too long for
/// one of ours is known by its hash, and stands whole in the subject.
enum RongCloudPlace {
    /// In whose name groups are led.
    static let server = UserID("rongcloud:server") ?? { preconditionFailure("no user id") }()

    private static let (group, longGroup) = ("rcg:", "rch:")
    private static let (room, longRoom) = ("rcr:", "rco:")
    private static let system = "rcs:"

    static let prefixes = [Self.group, Self.longGroup, Self.room, Self.longRoom, Self.system]
    static let groupPrefixes = [Self.group, Self.longGroup]
    static let roomPrefixes = [Self.room, Self.longRoom]

    /// Behind it there is room for the number of a successor.
    private static let maximumPlainBytes = 50
    static let maximumIDBytes = 64

    static func group(_ id: String, _ field: String) throws(RongCloudProblem) -> ConversationID {
        try self.place(id, field, self.group, self.longGroup)
    }

    static func room(_ id: String, _ field: String) throws(RongCloudProblem) -> ConversationID {
        try self.place(id, field, self.room, self.longRoom)
    }

    private static func place(
        _ id: String, _ field: String, _ plain: String, _ long: String
    ) throws(RongCloudProblem) -> ConversationID {
        guard id.utf8.count <= self.maximumIDBytes else { throw .tooLong(field, self.maximumIDBytes) }
        // No id has a space in it: where one stands, a plus sign was meant.
        let id = String(id.map { $0 == " " ? "+" : $0 })
        let rest = id.utf8.count <= self.maximumPlainBytes ? plain + id : long + Hex.encode(self.hash(id))
        guard !id.contains(FindSuccession.separator), UserID(id) != nil, let place = ConversationID(rest) else {
            throw .illegal(field, "1 to 64 letters, digits and + = - _")
        }
        return place
    }

    /// What stands in the subject of a conversation whose id does not say it.
    static func subject(of id: String, in place: ConversationID) -> String? {
        id.utf8.count > self.maximumPlainBytes ? "\(place.text.prefix(4))\(id)" : nil
    }

    /// Whether the one stands, or stood, under the name of the other.
    static func isSuccessor(_ id: ConversationID, of base: ConversationID) -> Bool {
        id == base || id.text.hasPrefix(base.text + FindSuccession.separator)
    }

    /// Under which name a conversation of a program stands, and of which kind it is; nil for another.
    static func base(of id: ConversationID) -> (place: ConversationID, kind: RongCloudTarget.Kind)? {
        let parts = id.text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 2, let place = ConversationID("\(parts[0]):\(parts[1])") else { return nil }
        let prefix = "\(parts[0]):"
        if self.groupPrefixes.contains(prefix) { return (place, .group) }
        return self.roomPrefixes.contains(prefix) ? (place, .room) : nil
    }

    /// By which lists know it: what programs call it, or the hash of a longer name.
    static func shortName(of place: ConversationID) -> String { String(place.text.dropFirst(4)) }

    /// What programs call it.
    static func name(of row: ConversationRow) -> String { self.name(of: row.id, row.subject) }

    static func name(of id: ConversationID, _ subject: String?) -> String {
        if let subject { return String(subject.dropFirst(4)) }
        return String(id.text.dropFirst(4).prefix { $0 != ":" })
    }

    /// What one user says to another in the name of the system.
    static func system(from sender: UserID, to receiver: UserID) -> ConversationID {
        let hash = Hex.encode(self.hash("\(sender.text)\n\(receiver.text)"))
        return ConversationID(self.system + hash) ?? { preconditionFailure("no conversation id") }()
    }

    /// What somebody says in a group to one of its members alone.
    static func aside(from sender: UserID, in group: ConversationID, to receiver: UserID) -> ConversationID {
        let hash = Hex.encode(self.hash("\(sender.text)\n\(group.text)\n\(receiver.text)"))
        return ConversationID(self.system + hash) ?? { preconditionFailure("no conversation id") }()
    }

    private static func hash(_ text: String) -> ArraySlice<UInt8> { Digest.sha256.hash(text).prefix(16) }
}
