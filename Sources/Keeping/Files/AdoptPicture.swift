package import Vocabulary

/// A picture that a stranger brought becomes the picture of a user who has registered with it: it is kept for as long as the
/// user shows it, and counts as theirs.
package struct AdoptPicture: StoreRequest {
    package let file: FileID
    package let user: UserID
    /// Files of users whose ids begin so are free to be taken.
    package let strangers: String

    package static let access = StoreAccess.writes

    package init(_ file: FileID, by user: UserID, from strangers: String) {
        self.file = file
        self.user = user
        self.strangers = strangers
    }

    /// False when there is no such picture to be had.
    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard let found = try tables.file(self.file), found.uses == 0, found.file.owner.text.hasPrefix(self.strangers),
            found.file.stay == .open, let user = try tables.user(self.user), user.picture == nil, user.tombstone == nil
        else { return false }
        try tables.removeFile(self.file)
        try tables.insert(found.file.owned(by: self.user))
        try tables.changeUses(of: self.file, by: 1)
        var row = user
        row.picture = self.file
        try tables.update(row)
        return true
    }
}

extension FileRecord {
    fileprivate func owned(by owner: UserID) -> FileRecord {
        var file = FileRecord(
            self.id, of: owner, self.hash, size: self.size, type: self.type, label: self.label, created: self.created)
        file.picture = self.picture
        file.thumbnail = self.thumbnail
        file.outline = self.outline
        file.stay = self.stay
        return file
    }
}
