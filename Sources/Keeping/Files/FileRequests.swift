internal import Conversing
package import Vocabulary

/// The file is whole: its upload is over.
package struct AddFile: StoreRequest {
    package let file: FileRecord

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.file.owner }

    package init(_ file: FileRecord) { self.file = file }

    package func perform(on tables: some Tables) throws(StoreError) {
        try tables.removeUpload(self.file.id)
        try tables.insert(self.file)
    }
}

/// A file was drawn small or measured after it had been told to others. Of a file that is gone nothing is kept.
package struct AddPreview: StoreRequest {
    package let file: FileID
    package let preview: FilePreview
    package let owner: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.owner }

    package init(_ preview: FilePreview, of file: FileID, by owner: UserID) {
        self.file = file
        self.preview = preview
        self.owner = owner
    }

    package func perform(on tables: some Tables) throws(StoreError) {
        try tables.setPreview(self.preview, of: self.file)
    }
}

/// Who wants to see a file.
package enum FileReader: Hashable, Sendable {
    /// Its owner, and users who can read a message that shows it.
    case user(UserID)
    /// A client that knows its name, if that is enough for this file.
    case anybody
    /// A client that knows its name, for as long as it is a user's picture.
    case onlooker
}

package struct FindFile: StoreRequest {
    package let id: FileID
    package let reader: FileReader

    package static let access = StoreAccess.readsCommitted

    package init(_ id: FileID, for reader: FileReader) {
        self.id = id
        self.reader = reader
    }

    package func perform(on tables: some Tables) throws(StoreError) -> FileRecord? {
        guard let file = try tables.file(self.id)?.file else { return nil }
        let isShown =
            switch self.reader {
            case .anybody: file.stay.isOpen
            case .onlooker: try tables.isPicture(file.id)
            case .user(let user): try FileUse.canSee(file, user, tables)
            }
        return isShown ? file : nil
    }
}

/// Only its owner can remove a file, and only while no message shows it. What was in it goes with the next sweep.
package struct RemoveFile: StoreRequest {
    package let id: FileID
    package let owner: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.owner }

    package init(_ id: FileID, of owner: UserID) {
        self.id = id
        self.owner = owner
    }

    package func perform(on tables: some Tables) throws(StoreError) -> FileRemoval {
        guard let row = try tables.file(self.id), row.file.owner == self.owner else { return .unknown }
        guard row.uses == 0 else { return .inUse }
        try tables.orphan(self.id)
        return .removed
    }
}

package enum FileRemoval: Hashable, Sendable {
    case removed
    case unknown
    /// A message shows it, or it is a user's picture.
    case inUse
}

// MARK: - Which messages show which files

enum FileUse {
    /// Its owner sees a file, and users who can read an entry that shows it.
    static func canSee(_ file: FileRecord, _ user: UserID, _ tables: some Tables) throws(StoreError) -> Bool {
        if file.owner == user { return true }
        return try tables.isShown(file.id, to: user)
    }

    /// Whether a user may show all of these to others.
    static func canShow(_ ids: [FileID], _ user: UserID, _ tables: some Tables) throws(StoreError) -> Bool {
        for id in ids {
            guard let file = try tables.file(id)?.file, try self.canSee(file, user, tables) else { return false }
        }
        return true
    }

    static func show(_ ids: [FileID], in key: EntryKey, _ tables: some Tables) throws(StoreError) {
        for id in ids.withoutDuplicates {
            try tables.show(id, in: key)
            try tables.changeUses(of: id, by: 1)
        }
    }

    static func hideAll(in key: EntryKey, _ tables: some Tables) throws(StoreError) {
        let files = try tables.files(shownIn: key)
        guard !files.isEmpty else { return }
        for file in files { try tables.changeUses(of: file, by: -1) }
        try tables.hideFiles(in: key)
    }
}

// MARK: - What is not needed any more

/// Takes out uploads that have ended and files that are not shown since `unusedSince`; a portion at a time.
package struct SweepFiles: StoreRequest {
    package let now: WallTime
    package let unusedSince: WallTime
    package let limit: Int

    package static let access = StoreAccess.writes

    package init(at now: WallTime, unusedSince: WallTime, limit: Int) {
        self.now = now
        self.unusedSince = unusedSince
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> SweptFiles {
        var swept = SweptFiles()
        swept.uploads = try tables.uploads(expiredBy: self.now, limit: self.limit)
        for upload in swept.uploads { try tables.removeUpload(upload) }
        let gone = try tables.unusedFiles(createdBefore: self.unusedSince, limit: self.limit)
        for file in gone { try tables.removeFile(file.id) }
        swept.hasMore = gone.count == self.limit || swept.uploads.count == self.limit
        swept.contents = try FindUnknownContents(among: gone.map(\.hash).withoutDuplicates).perform(on: tables)
        return swept
    }
}

package struct SweptFiles: Hashable, Sendable {
    package var uploads: [FileID] = []
    /// Contents that no file has any more.
    package var contents: [ContentHash] = []
    /// Ask again.
    package var hasMore = false

    package init() {}
}

/// Those that no file has.
package struct FindUnknownContents: StoreRequest {
    package let contents: [ContentHash]

    package static let access = StoreAccess.reads

    package init(among contents: [ContentHash]) { self.contents = contents }

    package func perform(on tables: some Tables) throws(StoreError) -> [ContentHash] {
        var unknown: [ContentHash] = []
        for hash in self.contents where try !tables.hasContent(hash) { unknown.append(hash) }
        return unknown
    }
}
