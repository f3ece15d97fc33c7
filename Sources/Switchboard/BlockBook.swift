internal import Vocabulary

/// Whom those who are there do not want to hear from. It is kept for as long as a user has lines.
struct BlockBook {
    private struct Entry {
        var blocked: Set<UserID> = []
        var lines = 0
    }

    private var entries: [UserID: Entry] = [:]

    var isEmpty: Bool { self.entries.isEmpty }

    /// - Parameter blocked: all of them; nil when it is unknown.
    mutating func entered(_ user: UserID, blocking blocked: [UserID]?) {
        self.entries[user, default: Entry()].lines += 1
        if let blocked { self.entries[user]?.blocked = Set(blocked) }
    }

    mutating func left(_ user: UserID) {
        self.entries[user]?.lines -= 1
        if self.entries[user]?.lines == 0 { self.entries[user] = nil }
    }

    mutating func changed(_ user: UserID, blocks other: UserID, _ isBlocked: Bool) {
        if isBlocked {
            self.entries[user]?.blocked.insert(other)
        } else {
            self.entries[user]?.blocked.remove(other)
        }
    }

    func blocked(by user: UserID) -> [UserID] { self.entries[user].map { Array($0.blocked) } ?? [] }

    /// Whether this user is here.
    func knows(_ user: UserID) -> Bool { self.entries[user] != nil }

    func has(_ other: UserID, blockedBy user: UserID) -> Bool {
        self.entries[user]?.blocked.contains(other) ?? false
    }
}
