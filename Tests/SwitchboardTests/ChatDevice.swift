import Conversing
import Keeping
import Vocabulary

/// A client as it should be written: it knows one number for each conversation, and takes the next one only.
struct ChatDevice {
    let user: UserID
    let id: DeviceID
    var isConnected = false
    /// How far it got without a gap.
    private(set) var positions: [ConversationID: UInt64] = [:]
    /// Heard live while older ones are still to be fetched.
    private var ahead: [ConversationID: Set<UInt64>] = [:]
    /// Where it has to fetch what a sync left out.
    private(set) var missing: [ConversationID: UInt64] = [:]

    init(_ user: UserID, _ id: DeviceID) {
        self.user = user
        self.id = id
    }

    mutating func drop() {
        self.isConnected = false
        self.ahead = [:]
        self.missing = [:]
    }

    /// Live, or in the answer to a sync or to a request for history.
    mutating func heard(_ number: UInt64, in id: ConversationID, isLive: Bool) throws(ChatDamage) {
        let position = self.positions[id] ?? number - 1
        if isLive, self.missing[id] != nil {
            self.ahead[id, default: []].insert(number)
            return
        }
        guard number > position else { throw ChatDamage("\(self.user.text) hears \(number) a second time") }
        guard number == position + 1 else {
            throw ChatDamage("\(self.user.text) hears \(number) after \(position) in \(id.text)")
        }
        self.positions[id] = number
    }

    mutating func synced(_ synced: Synced) throws(ChatDamage) {
        for piece in synced.pieces {
            let id = piece.view.id
            // Whoever was away and came back to a group does not see what was said meanwhile.
            if let position = self.positions[id], position < piece.view.since { self.positions[id] = piece.view.since }
            for entry in piece.entries { try self.heard(entry.number, in: id, isLive: false) }
            let last = self.positions[id] ?? piece.view.since
            guard piece.remaining == piece.view.latest.number - last else {
                throw ChatDamage("\(piece.remaining) are said to remain after \(last)")
            }
            if piece.remaining > 0 { self.missing[id] = piece.view.latest.number }
        }
        self.isConnected = true
    }

    mutating func fetched(_ page: EntryPage, of id: ConversationID) throws(ChatDamage) {
        guard let end = self.missing[id] else { return }
        // A page that was asked for before the device dropped and came back begins too early.
        for item in page.items where item.entry.number <= end && item.entry.number > self.positions[id] ?? 0 {
            try self.heard(item.entry.number, in: id, isLive: false)
        }
        guard (self.positions[id] ?? 0) >= end else { return }
        self.missing[id] = nil
        for number in (self.ahead.removeValue(forKey: id) ?? []).sorted() {
            try self.heard(number, in: id, isLive: false)
        }
    }

    /// Somebody else decides what it may see now.
    mutating func left(_ id: ConversationID) {
        self.positions[id] = nil
        self.missing[id] = nil
        self.ahead[id] = nil
    }
}
