package import Vocabulary

/// A change that a member asks for.
package enum ConversationChange: Hashable, Sendable {
    case post(Draft)
    case edit(UInt64, MessageBody)
    case recall(UInt64)
    case react(UInt64, Reaction, isOn: Bool)
    case pin(UInt64, isOn: Bool)

    case invite([UserID])
    case join
    case leave
    /// Until then they do not come back by themselves; nil for good.
    case remove(UserID, until: WallTime? = nil, reason: DisplayName? = nil)
    case rename(DisplayName)
    case setRole(UserID, Role)
    case silence(UserID, until: WallTime?, reason: DisplayName? = nil)
    case dissolve

    /// Whether it puts something before others to read.
    package var hasWords: Bool {
        switch self {
        case .post, .edit: true
        default: false
        }
    }

    /// Whether devices that sleep are woken, for what wakes them.
    package var wakes: Bool { if case .post(let draft) = self { draft.wakes } else { true } }

    /// The message it is about, which the machine has to be told of.
    package var target: UInt64? {
        switch self {
        case .post(let draft): draft.reply
        case .edit(let target, _), .recall(let target), .react(let target, _, _), .pin(let target, _): target
        case .invite, .join, .leave, .remove, .rename, .setRole, .silence, .dissolve: nil
        }
    }
}

/// A message that has no place yet.
package struct Draft: Hashable, Sendable {
    package let kind: MessageKind
    package let body: MessageBody
    /// The message it answers.
    package var reply: UInt64?
    package var mentions: [UserID] = []
    package var isForwarded = false
    /// Whether it waits for those who have not read it.
    package var isCounted = true
    /// Whether devices that sleep are woken for it.
    package var wakes = true

    package init(_ kind: MessageKind, _ body: MessageBody) {
        self.kind = kind
        self.body = body
    }
}

extension Draft {
    /// The words of another message, said again: `member` has to see it, and it is theirs then.
    package init(
        forwarding original: Entry?, seenBy member: Member?, as wanted: Draft, without kept: KeptFields
    ) throws(ConversationRefusal) {
        guard let member else { throw .notMember }
        guard let original, original.number > member.since, let kind = original.kind else { throw .noMessage }
        guard !original.isRecalled, let body = original.body else { throw .recalled }
        self.init(kind, kept.removed(from: MessageBody(proven: body)))
        self.reply = wanted.reply
        self.mentions = wanted.mentions
        self.isForwarded = true
    }
}

/// A short sign under a message: 1 to 32 bytes, nothing that cannot be seen.
package struct Reaction: Hashable, Sendable {
    package let text: String

    package static let maximumBytes = 32

    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, let shown = DisplayName(text), shown.text == text else {
            return nil
        }
        self.text = text
    }
}

/// What the machine has to know of a message that something is about.
package struct MessageState: Hashable, Sendable {
    package let sender: UserID
    package let time: WallTime
    package let isMessage: Bool
    package let isRecalled: Bool
    package var reactions = OtherReactions()
    package var isPinned = false
    /// How many messages of the conversation are.
    package var pinned = 0

    package init(sender: UserID, time: WallTime, isMessage: Bool, isRecalled: Bool) {
        self.sender = sender
        self.time = time
        self.isMessage = isMessage
        self.isRecalled = isRecalled
    }
}

/// How many different signs are under a message, not counting the one that is about to be put there.
package struct OtherReactions: Hashable, Sendable {
    package var ofAll = 0
    package var ofActor = 0

    package init(ofAll: Int = 0, ofActor: Int = 0) {
        self.ofAll = ofAll
        self.ofActor = ofActor
    }
}

/// Why a conversation refuses a change.
package enum ConversationRefusal: Error, Hashable, Sendable {
    /// There is none of this name, or it is not for them to know.
    case unknown
    case notMember
    /// Their role does not go so far.
    case forbidden
    /// The other side does not want to hear from them.
    case blocked
    case silenced(until: WallTime)
    /// Members wait here between two messages.
    case tooFast(retryAfter: Duration)
    /// There is no such file, or it is not theirs to show.
    case noFile
    /// There is no such message in it.
    case noMessage
    /// The message says more than one may.
    case tooLong
    /// No more different signs fit under the message.
    case tooManyReactions
    /// As many messages are pinned as may be.
    case tooManyPins
    /// They block as many people as one may.
    case tooManyBlocked
    /// The message was taken back.
    case recalled
    /// It was too long ago.
    case tooLate
    case dissolved
    /// No more people fit in.
    case full
    /// The name is taken.
    case taken
    /// They were sent away.
    case removed
    /// Nobody was ever known by this id.
    case unknownUser
    /// They are in as many conversations as one may be.
    case tooManyConversations
    /// They have begun many with others just now.
    case tooSoon
    /// As many of their reports are open as may be.
    case tooManyReports
}
