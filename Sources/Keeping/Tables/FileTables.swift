package import Conversing
package import Vocabulary

/// Files that are whole, and which entries show them.
package protocol FileTable: AnyObject {
    /// Nil for one that was orphaned.
    func file(_ id: FileID) throws(StoreError) -> FileRow?
    func insert(_ file: FileRecord) throws(StoreError)
    func setPreview(_ preview: FilePreview, of file: FileID) throws(StoreError)
    func changeUses(of file: FileID, by step: Int) throws(StoreError)
    /// Its owner gave it up: it is not found from now on, and the next sweep takes it, whatever its age.
    func orphan(_ file: FileID) throws(StoreError)
    func removeFile(_ id: FileID) throws(StoreError)
    /// All files of a user together.
    func fileUsage(of owner: UserID) throws(StoreError) -> FileUsage
    /// Whether a file has this content.
    func hasContent(_ hash: ContentHash) throws(StoreError) -> Bool
    /// Some without a use that do not stay for good, orphaned ones too.
    func unusedFiles(
        createdBefore time: WallTime, limit: Int
    ) throws(StoreError) -> [(id: FileID, hash: ContentHash)]

    /// A user's own, in the order of their ids.
    func files(of owner: UserID, after file: FileID?, limit: Int) throws(StoreError) -> [FileRecord]
    /// A user's own that nothing shows.
    func unusedFiles(of owner: UserID, limit: Int) throws(StoreError) -> [FileID]

    func show(_ file: FileID, in key: EntryKey) throws(StoreError)
    func files(shownIn key: EntryKey) throws(StoreError) -> [FileID]
    func hideFiles(in key: EntryKey) throws(StoreError)
    /// Whether an entry shows it that lies behind the user's `since` in one of their conversations.
    func isShown(_ file: FileID, to user: UserID) throws(StoreError) -> Bool
}

package struct FileUsage: Hashable, Sendable {
    package let count: Int
    package let bytes: Int

    package init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}

package struct FileRow: Hashable, Sendable {
    package let file: FileRecord
    /// How many entries show it and how many users have it as their picture.
    package let uses: Int

    package init(_ file: FileRecord, uses: Int) {
        self.file = file
        self.uses = uses
    }
}

/// Files on their way here.
package protocol UploadTable: AnyObject {
    func upload(_ id: FileID) throws(StoreError) -> UploadRecord?
    func uploads(of owner: UserID) throws(StoreError) -> [UploadRecord]
    /// All of them, with their lengths.
    func uploadLengths() throws(StoreError) -> [FileID: Int]
    func insert(_ upload: UploadRecord) throws(StoreError)
    func removeUpload(_ id: FileID) throws(StoreError)
    func uploads(expiredBy now: WallTime, limit: Int) throws(StoreError) -> [FileID]
}
