package import Vocabulary

/// A file on its way here.
package struct UploadRecord: Hashable, Sendable {
    package let id: FileID
    package let owner: UserID
    package let length: Int
    package let label: FileLabel?
    package let expiry: WallTime

    package init(_ id: FileID, of owner: UserID, length: Int, label: FileLabel?, expiry: WallTime) {
        self.id = id
        self.owner = owner
        self.length = length
        self.label = label
        self.expiry = expiry
    }
}

/// How much one user may keep here.
package struct FileAllowance: Hashable, Sendable {
    package var bytes: Int
    /// Files under way at the same time.
    package var uploads: Int
    /// Files, those under way included: the smallest one takes a place in the folder.
    package var files: Int

    package init(bytes: Int, uploads: Int, files: Int = 10_000) {
        self.bytes = bytes
        self.uploads = uploads
        self.files = files
    }

    /// Whether a file of this length may be brought by a user with these uploads and files.
    func verdict(length: Int, beside uploads: [UploadRecord], kept: FileUsage) -> UploadBeginning {
        guard uploads.count < self.uploads else { return .tooMany }
        guard kept.count + uploads.count < self.files else { return .tooManyFiles }
        let used = kept.bytes + uploads.reduce(0) { $0 + $1.length }
        return length <= self.bytes - used ? .begun : .overQuota(used: used)
    }
}

package enum UploadBeginning: Hashable, Sendable {
    case begun
    case overQuota(used: Int)
    case tooMany
    case tooManyFiles
}

/// A client wants to upload a file. Its length counts from now on.
package struct BeginUpload: StoreRequest {
    package let upload: UploadRecord
    package let allowance: FileAllowance

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.upload.owner }

    package init(_ upload: UploadRecord, _ allowance: FileAllowance) {
        self.upload = upload
        self.allowance = allowance
    }

    package func perform(on tables: some Tables) throws(StoreError) -> UploadBeginning {
        let (owner, length) = (self.upload.owner, self.upload.length)
        let verdict = self.allowance.verdict(
            length: length, beside: try tables.uploads(of: owner), kept: try tables.fileUsage(of: owner))
        if verdict == .begun { try tables.insert(self.upload) }
        return verdict
    }
}

package struct FindUpload: StoreRequest {
    package let id: FileID

    package static let access = StoreAccess.reads

    package init(_ id: FileID) { self.id = id }

    package func perform(on tables: some Tables) throws(StoreError) -> UploadRecord? { try tables.upload(self.id) }
}

/// All that are under way, with their lengths.
package struct ListUploads: StoreRequest {
    package static let access = StoreAccess.readsCommitted

    package init() {}

    package func perform(on tables: some Tables) throws(StoreError) -> [FileID: Int] { try tables.uploadLengths() }
}

/// False when the user has no such upload.
package struct AbandonUpload: StoreRequest {
    package let id: FileID
    package let owner: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.owner }

    package init(_ id: FileID, of owner: UserID) {
        self.id = id
        self.owner = owner
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard try tables.upload(self.id)?.owner == self.owner else { return false }
        try tables.removeUpload(self.id)
        return true
    }
}
