package import Vocabulary

/// What waits to be read: in each conversation, and in all of them together, which is the number on a badge.
///
/// It is told what a `sync` brings and what comes live, and counts as the server does. What is said in the conversation
/// that is open is seen at once; in another one it only raises that one's count.
package struct Inbox: Sendable {
    private struct Place {
        var last: UInt64
        var read: UInt64
        var unread: Int
    }

    /// A user is in no more conversations; what a server tells of others is not counted.
    package static let maximumConversations = 10_000
    /// Of one conversation, so that no word of a server's can bring the sum to overflow.
    package static let maximumUnread = 1_000_000

    private let user: UserID
    private var places: [ConversationID: Place] = [:]
    package private(set) var open: ConversationID?
    /// The sum of all that is unread.
    package private(set) var badge = 0
    /// In how many conversations something is.
    private var unreadPlaces = 0

    /// - Parameter user: oneself, whose own messages are never unread.
    package init(of user: UserID) { self.user = user }

    package func unread(in conversation: ConversationID) -> Int { self.places[conversation]?.unread ?? 0 }

    /// In others than the open one: how many messages, and in how many conversations.
    package var elsewhere: (messages: Int, conversations: Int) {
        let here = self.open.map { self.unread(in: $0) } ?? 0
        return (self.badge - here, self.unreadPlaces - (here > 0 ? 1 : 0))
    }

    package mutating func opened(_ conversation: ConversationID?) {
        self.open = conversation
        guard let conversation, var place = self.places[conversation] else { return }
        place.unread = 0
        self.set(conversation, place)
    }

    /// A conversation as the server sees it now.
    package mutating func took(_ view: ChatView) {
        self.set(view.id, Place(last: view.last, read: view.read, unread: view.id == self.open ? 0 : view.unread))
    }

    /// False for what was known before.
    @discardableResult
    package mutating func heard(_ entry: ChatEntry) -> Bool {
        var place = self.places[entry.conversation] ?? Place(last: 0, read: 0, unread: 0)
        guard entry.number > place.last else { return false }
        place.last = entry.number
        if entry.from == self.user {
            // Who says something has read what was said before.
            if entry.type == "message" { (place.read, place.unread) = (entry.number, 0) }
        } else if entry.type == "message" {
            place.unread += entry.conversation == self.open ? 0 : 1
        }
        if entry.type == "recalled", let target = entry.target, target > place.read { place.unread -= 1 }
        self.set(entry.conversation, place)
        return true
    }

    /// A member has read so far; when it is oneself, on whatever device, what is unread is the server's word.
    package mutating func heard(_ receipt: ChatReceipt) {
        guard receipt.user == self.user, var place = self.places[receipt.conversation] else { return }
        place.read = max(place.read, receipt.read)
        if let unread = receipt.unread, receipt.conversation != self.open { place.unread = unread }
        self.set(receipt.conversation, place)
    }

    /// Counted as it changes: to add all of them up again for every event would take long where there are many.
    private mutating func set(_ conversation: ConversationID, _ place: Place) {
        let former = self.places[conversation]
        guard former != nil || self.places.count < Self.maximumConversations else { return }
        var place = place
        place.unread = min(max(place.unread, 0), Self.maximumUnread)
        self.places[conversation] = place
        self.badge += place.unread - (former?.unread ?? 0)
        self.unreadPlaces += (place.unread > 0 ? 1 : 0) - ((former?.unread ?? 0) > 0 ? 1 : 0)
    }
}
