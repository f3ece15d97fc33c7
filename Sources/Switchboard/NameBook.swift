internal import Vocabulary

/// What everybody who is there was called when they last came in. A name is kept for as long as its user has lines.
struct NameBook {
    private struct Entry {
        var name: DisplayName
        var lines: Int
    }

    private var entries: [UserID: Entry] = [:]

    var isEmpty: Bool { self.entries.isEmpty }

    subscript(user: UserID) -> DisplayName? { self.entries[user]?.name }

    mutating func entered(_ user: UserID, as name: DisplayName) {
        self.entries[user, default: Entry(name: name, lines: 0)].lines += 1
        self.entries[user]?.name = name
    }

    mutating func left(_ user: UserID) { self.entries[user]?.lines -= 1 }

    /// Nobody needs this name any more, unless somebody of that name is still there.
    mutating func forget(_ user: UserID) {
        if self.entries[user]?.lines == 0 { self.entries[user] = nil }
    }
}
