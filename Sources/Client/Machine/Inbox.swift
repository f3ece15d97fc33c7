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

    private let user: UserID
    private var places: [ConversationID: Place] = [:]
    package private(set) var open: ConversationID?

    /// - Parameter user: oneself, whose own messages are never unread.
    package init(of user: UserID) { self.user = user }

    package func unread(in conversation: ConversationID) -> Int { self.places[conversation]?.unread ?? 0 }

    /// The sum of all that is unread.
    package var badge: Int { self.places.values.reduce(0) { $0 + $1.unread } }

    /// In others than the open one: how many messages, and in how many conversations.
    package var elsewhere: (messages: Int, conversations: Int) {
        let others = self.places.filter { $0.key != self.open && $0.value.unread > 0 }
        return (others.values.reduce(0) { $0 + $1.unread }, others.count)
    }

    package mutating func opened(_ conversation: ConversationID?) {
        self.open = conversation
        if let conversation { self.places[conversation]?.unread = 0 }
    }

    /// A conversation as the server sees it now.
    package mutating func took(_ view: ChatView) {
        self.places[view.id] = Place(last: view.last, read: view.read, unread: view.id == self.open ? 0 : view.unread)
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
        if entry.type == "recalled", let target = entry.target, target > place.read {
            place.unread = max(0, place.unread - 1)
        }
        self.places[entry.conversation] = place
        return true
    }

    /// A member has read so far; when it is oneself, on whatever device, what is unread is the server's word.
    package mutating func heard(_ receipt: ChatReceipt) {
        guard receipt.user == self.user, var place = self.places[receipt.conversation] else { return }
        place.read = max(place.read, receipt.read)
        if let unread = receipt.unread, receipt.conversation != self.open { place.unread = unread }
        self.places[receipt.conversation] = place
    }
}
