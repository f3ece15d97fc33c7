package import FileTypes
package import Vocabulary

/// Where it is kept which files there are, whose they are, and which messages show them. The bytes are elsewhere.
package protocol FileStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Somebody wants to bring a file. Its length counts from now on.
    func begin(_ upload: UploadRecord, _ allowance: FileAllowance, _ answer: @escaping Answer<UploadBeginning>)
    func upload(_ id: FileID, _ answer: @escaping Answer<UploadRecord?>)
    /// All that are under way, with their lengths.
    func uploads(_ answer: @escaping Answer<[FileID: Int]>)
    /// False when the user has no such upload.
    func giveUp(_ upload: FileID, of owner: UserID, _ answer: @escaping Answer<Bool>)
    /// The file is whole: its upload is over.
    func add(_ file: FileRecord, _ answer: @escaping Answer<Void>)
    func file(_ id: FileID, for reader: FileReader, _ answer: @escaping Answer<FileRecord?>)
    /// Only its owner can remove a file, and only while no message shows it.
    func remove(_ file: FileID, of owner: UserID, _ answer: @escaping Answer<FileRemoval>)
    /// Those that no file has.
    func unknown(among contents: [ContentHash], _ answer: @escaping Answer<[ContentHash]>)
    /// Takes out uploads that have ended and files that nobody shows since `unusedSince`; a portion at a time.
    func sweepFiles(at now: WallTime, unusedSince: WallTime, limit: Int, _ answer: @escaping Answer<SweptFiles>)
}

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

    package init(bytes: Int, uploads: Int) {
        self.bytes = bytes
        self.uploads = uploads
    }
}

package enum UploadBeginning: Hashable, Sendable {
    case begun
    case overQuota(used: Int)
    case tooMany
}

/// For whom a file is there, and for how long.
package enum FileStay: Int, Hashable, Sendable {
    /// For those who can read a message that shows it, and for its owner a while longer.
    case usual
    /// For whoever knows its name, for as long as a message shows it.
    case open
    /// For whoever knows its name, for good.
    case openForGood

    package var isOpen: Bool { self != .usual }
}

/// A file that is whole.
package struct FileRecord: Hashable, Sendable {
    package let id: FileID
    package let owner: UserID
    package let hash: ContentHash
    package let size: Int
    package let type: FileType
    package let label: FileLabel?
    package var picture: PictureSize?
    /// Nil when the picture itself is small enough, or none could be made.
    package var thumbnail: PictureSize?
    package var stay = FileStay.usual
    package let created: WallTime

    package init(
        _ id: FileID, of owner: UserID, _ hash: ContentHash, size: Int, type: FileType, label: FileLabel?,
        created: WallTime
    ) {
        self.id = id
        self.owner = owner
        self.hash = hash
        self.size = size
        self.type = type
        self.label = label
        self.created = created
    }
}

/// Who wants to see a file.
package enum FileReader: Hashable, Sendable {
    /// Its owner, and whoever can read a message that shows it.
    case user(UserID)
    /// Whoever was given a link.
    case bearer
    /// Whoever knows its name, if that is enough for this file.
    case anybody
    /// Whoever knows its name, for as long as it is somebody's picture.
    case onlooker
}

package enum FileRemoval: Hashable, Sendable {
    case removed
    case unknown
    /// A message shows it, or it is somebody's picture.
    case inUse
}

package struct SweptFiles: Hashable, Sendable {
    package var uploads: [FileID] = []
    /// Contents that no file has any more.
    package var contents: [ContentHash] = []
    /// Ask again.
    package var hasMore = false

    package init() {}
}
