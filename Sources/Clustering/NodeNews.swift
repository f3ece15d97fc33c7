package import Vocabulary

/// What one node tells all others. It is quick, and may be lost: what matters is in the database, has a number, and is read there.
package enum NodeNews: Hashable, Sendable {
    /// An entry was written.
    ///
    /// - Parameter movesMembers: somebody came with it, who may listen at a node that has not heard of the conversation.
    case entry(ConversationID, UInt64, movesMembers: Bool)
    case receipt(Receipt)
    case typing(ConversationID, UserID, isOn: Bool)
    case block(UserID, by: UserID, isOn: Bool)
    /// A user is known by something else.
    case profile(UserID)
    /// Somebody may no longer come in with what they have, or may again.
    case access(Access)
    /// A user has read up to there, and so much is unread elsewhere: for the node that wakes devices.
    case read(ConversationID, UserID, through: UInt64, badge: UInt64)
    /// A client shows a password or makes an account, and all nodes count it.
    ///
    /// - Parameter word: what became of it.
    case attempt(word: String, account: String?, address: String)
    /// Something that is kept nowhere, for those who listen now.
    case told(Telling)
    /// Something waits for the node that tells other programs and devices.
    case errand
    /// The list of words that are refused, covered or reported has changed.
    case words

    package struct Access: Hashable, Sendable {
        /// What happened.
        package let word: String
        /// To which token, family of tokens or user.
        package let subject: String
        package let until: WallTime?

        package init(_ word: String, _ subject: String, until: WallTime? = nil) {
            self.word = word
            self.subject = subject
            self.until = until
        }
    }

    /// An event for people, wherever they are.
    package struct Telling: Hashable, Sendable {
        package enum Audience: Hashable, Sendable {
            /// Who listens to a conversation, but for one of them.
            case members(of: ConversationID, except: UserID?)
            /// Devices of one of its members.
            case member(UserID, of: ConversationID)
            case users([UserID])
            case all
        }

        /// Its name.
        package let event: String
        /// One JSON object.
        package let json: [UInt8]
        package let audience: Audience

        package init(_ event: String, _ json: [UInt8], to audience: Audience) {
            self.event = event
            self.json = json
            self.audience = audience
        }
    }

    /// How far a user has got in a conversation. The next one says more, so one that is lost does no harm.
    package struct Receipt: Hashable, Sendable {
        package let conversation: ConversationID
        package let user: UserID
        /// What the user's own devices are told: one JSON object.
        package let own: [UInt8]
        /// What the others are told; nil where they are too many.
        package let others: [UInt8]?

        package init(_ conversation: ConversationID, of user: UserID, own: [UInt8], others: [UInt8]?) {
            self.conversation = conversation
            self.user = user
            self.own = own
            self.others = others
        }
    }
}
