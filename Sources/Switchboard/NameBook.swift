internal import Vocabulary

/// By what every user who is there is known. A face is kept for as long as its user has lines.
struct NameBook {
    private struct Entry {
        var face: ProfileSummary
        var lines: Int
    }

    private var entries: [UserID: Entry] = [:]

    var isEmpty: Bool { self.entries.isEmpty }

    subscript(user: UserID) -> ProfileSummary? { self.entries[user]?.face }

    mutating func entered(_ user: UserID, as face: ProfileSummary) {
        self.entries[user, default: Entry(face: face, lines: 0)].lines += 1
        self.entries[user]?.face = face
    }

    var faces: [UserID: ProfileSummary] { self.entries.mapValues(\.face) }

    /// As another node knows them.
    ///
    /// - Parameter users: one for each line.
    mutating func adopt(_ faces: [UserID: ProfileSummary], linesOf users: [UserID]) {
        self.entries = faces.mapValues { Entry(face: $0, lines: 0) }
        for user in users { self.entries[user]?.lines += 1 }
    }

    /// A user who is there is known by something else from now on.
    mutating func changed(_ user: UserID, to face: ProfileSummary) { self.entries[user]?.face = face }

    mutating func left(_ user: UserID) { self.entries[user]?.lines -= 1 }

    /// This name is not needed any more, unless a user of that name is still there.
    mutating func forget(_ user: UserID) {
        if self.entries[user]?.lines == 0 { self.entries[user] = nil }
    }
}
