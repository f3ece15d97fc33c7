package import FileTypes
package import Vocabulary

/// For whom a file is there, and for how long.
package enum FileStay: Int, Hashable, Sendable {
    /// For those who can read a message that shows it, and for its owner a while longer.
    case usual
    /// For clients that know its name, for as long as a message shows it.
    case open
    /// For clients that know its name, for good.
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
    /// Nil for what is no recording, and one that could not be measured.
    package var outline: SoundOutline?
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
