internal import Files
internal import Vocabulary

/// Says whether the disk has room for more messages. The last of it is for what has to be written in any case: reading marks,
/// sign-ins, what is taken back, and the database's own log. Lives on one loop.
final class DiskReserve {
    private let folder: FileFolder
    private var isThere = true
    private var looked: Instant?

    /// As much as the log of the database takes while it is folded up.
    static let bytes = 16 << 20
    /// A disk that many write to is not full so soon.
    private static let interval = Duration.milliseconds(100)

    init(_ folder: FileFolder) { self.folder = folder }

    func hasRoom(at now: Instant) -> Bool {
        if let looked, looked.duration(to: now) < Self.interval { return self.isThere }
        self.looked = now
        self.isThere = self.folder.hasFree(Self.bytes)
        return self.isThere
    }
}
