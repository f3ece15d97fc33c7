package import FileTypes
internal import System
package import Vocabulary

/// Where a server keeps files: each under the hash of what is in it, so that the same bytes lie there once.
///
/// Nothing here has a name that a client chose. A file is written under `uploads`, and gets its place under `files`
/// in one step when it is whole and on the disk. All of it blocks.
package final class FileFolder: Sendable {
    private let uploads: String
    private let files: String
    private let pins = Locked(BlobPins())

    /// So much stays free for everything else that lives on this disk.
    private let reserve: Int

    package static let usualReserve = 64 << 20

    package init(_ path: String, reserve: Int = FileFolder.usualReserve) throws(FileTrouble) {
        self.reserve = reserve
        self.uploads = "\(path)/uploads"
        self.files = "\(path)/files"
        for folder in [self.uploads, self.files] { try Self.make(folder) }
    }

    private static func make(_ folder: String) throws(FileTrouble) {
        try FileTrouble.catching { () throws(SystemError) in try FileSystem.makeDirectory(folder) }
    }

    /// Whether the disk has room for so many more bytes.
    package func hasRoom(for count: Int) -> Bool {
        guard let free = FileSystem.freeBytes(at: self.files) else { return true }
        return free > UInt64(clamping: count) + UInt64(clamping: self.reserve)
    }

    /// Whether so many bytes of the disk are free; what is smaller than a file may use what files leave.
    package func hasFree(_ count: Int) -> Bool {
        FileSystem.freeBytes(at: self.files).map { $0 > UInt64(clamping: count) } ?? true
    }

    /// The same, for all that is still to come of uploads of these lengths.
    package func hasRoom(forRestOf uploads: [FileID: Int]) -> Bool {
        let rest = uploads.reduce(0) { sum, upload in
            let left = self.remainingBytes(of: upload.key, upload.value)
            return sum.addingReportingOverflow(left).overflow ? .max : sum + left
        }
        return self.hasRoom(for: rest)
    }

    /// A promise costs nothing: a client that has sent nothing for a while keeps no room from others, and is looked at again
    /// with each piece that comes.
    private func remainingBytes(of upload: FileID, _ length: Int) -> Int {
        guard let status = FileStatus(of: self.place(of: upload)) else { return length }
        let isIdle = KernelClock.realTime / 1_000_000_000 - Int64(status.modifiedSeconds) > Self.idleTimeout
        return isIdle ? 0 : max(0, length - status.size)
    }

    /// Ten minutes, in seconds.
    private static let idleTimeout = 600

    private func folder(of hash: ContentHash) -> String { "\(self.files)/\(hash.text.prefix(2))" }

    package func place(of hash: ContentHash) -> String { "\(self.folder(of: hash))/\(hash.text.dropFirst(2))" }
    package func size(of hash: ContentHash) -> Int? { Self.size(of: self.place(of: hash)) }
    package func thumbnailPlace(of hash: ContentHash) -> String { "\(self.place(of: hash))-small" }
    private func place(of upload: FileID) -> String { "\(self.uploads)/\(upload.text)" }
}

// MARK: - Bringing a file

/// What became of a file that is whole.
package struct KeptFile: Hashable, Sendable {
    package let hash: ContentHash
    package let size: Int
    package let type: FileType
    package let picture: PictureSize?

    package init(hash: ContentHash, size: Int, type: FileType, picture: PictureSize?) {
        self.hash = hash
        self.size = size
        self.type = type
        self.picture = picture
    }
}

extension FileFolder {
    package func begin(_ id: FileID) throws(FileTrouble) -> UploadFile {
        try UploadFile(id, at: self.place(of: id), isNew: true, reserve: self.reserve)
    }

    package func open(_ id: FileID) throws(FileTrouble) -> UploadFile {
        try UploadFile(id, at: self.place(of: id), isNew: false, reserve: self.reserve)
    }

    /// How much of it is there; nil when there is none.
    package func length(of id: FileID) -> Int? { Self.size(of: self.place(of: id)) }

    /// Those that nobody has gone on with for so long, whoever knew of them. Says how many went.
    @discardableResult
    package func removeUploads(untouchedFor age: Duration) -> Int {
        let oldest = KernelClock.realTime / 1_000_000_000 - age.components.seconds
        return (FileSystem.names(in: self.uploads) ?? []).compactMap { FileID($0) }.count { upload in
            guard let status = FileStatus(of: self.place(of: upload)), Int64(status.modifiedSeconds) < oldest else {
                return false
            }
            return FileSystem.remove(self.place(of: upload))
        }
    }

    package func removeUpload(_ id: FileID) { FileSystem.remove(self.place(of: id)) }

    /// The file is whole: it gets its place. It is not removed from there until `settled`.
    package func keep(_ upload: UploadFile) throws(FileTrouble) -> KeptFile {
        let file = try self.look(at: upload)
        self.pins.withLock { $0.pin(file.hash) }
        do throws(FileTrouble) {
            try self.link(upload, as: file.hash)
            return file
        } catch {
            self.pins.withLock { $0.unpin(file.hash) }
            throw error
        }
    }

    /// What a whole file is; it outlives a loss of power when this comes back.
    package func look(at upload: UploadFile) throws(FileTrouble) -> KeptFile {
        guard let hash = ContentHash(try upload.contentHash()) else { throw FileTrouble(.missing, upload.path) }
        try upload.sync()
        return try self.look(at: upload, hash)
    }

    private func link(_ upload: UploadFile, as hash: ContentHash) throws(FileTrouble) {
        let (folder, place) = (self.folder(of: hash), self.place(of: hash))
        try Self.make(folder)
        do throws(SystemError) {
            // What lies there already has the right name. Should its size be wrong, the disk has lost some of it.
            if let size = Self.size(of: place) {
                guard size != upload.count else { return }
                FileSystem.remove(place)
            }
            try FileSystem.link(upload.path, as: place)
            try FileSystem.syncDirectory(folder)
            try FileSystem.syncDirectory(self.files)
        } catch {
            // A folder that machines share is a file system of its own.
            if error.errno == .crossDevice { return try Self.carry(upload, to: place) }
            // Another client brought the same bytes just now.
            guard error.errno == .fileExists, Self.size(of: place) == upload.count else { throw FileTrouble(error) }
        }
    }

    /// Into another file system: whole and on its disk before it has its name.
    private static func carry(_ upload: UploadFile, to place: String) throws(FileTrouble) {
        var draft = try FileTrouble.catching { () throws(SystemError) in try FileReplacement(of: place, .owner) }
        var offset = 0
        while true {
            let bytes = try upload.read(at: offset, upTo: self.piece)
            if bytes.isEmpty { break }
            try FileTrouble.catching { () throws(SystemError) in try draft.file.write(bytes.span) }
            offset += bytes.count
        }
        try FileTrouble.catching { () throws(SystemError) in try draft.commit(isDurable: true) }
    }

    private func look(at upload: UploadFile, _ hash: ContentHash) throws(FileTrouble) -> KeptFile {
        let front = try upload.front(upTo: FileType.lookedAt)
        let type = FileType(sniffing: front.span, isWhole: upload.count <= front.count)
        var picture: PictureSize?
        if type.isPicture {
            let header = try upload.front(upTo: PictureSize.lookedAt)
            picture = PictureSize(of: type, in: header.span)
        }
        return KeptFile(hash: hash, size: upload.count, type: type, picture: picture)
    }

    /// The file is referred to now, or never will be.
    /// - Parameter upload: what it was written as, when that is not needed any more.
    package func settled(_ hash: ContentHash, _ upload: FileID?) {
        if let upload { self.removeUpload(upload) }
        self.pins.withLock { $0.unpin(hash) }
    }

    static func size(of path: String) -> Int? {
        FileStatus(of: path)?.size
    }
}

// MARK: - Small pictures

extension FileFolder: ThumbnailPlace {
    package func copy(of file: KeptFile, from upload: FileID?) -> FileCopy? { FileCopy(self.place(of: file.hash)) }

    package func keepThumbnail(_ bytes: [UInt8], of file: KeptFile) throws(FileTrouble) {
        var random = SystemRandomNumberGenerator()
        try self.keepThumbnail(bytes, of: file.hash, drawn: .drawn(using: &random))
    }

    /// Another name for an upload, under which it stays when the first is gone. Nil when it is gone already.
    package func copy(of upload: FileID) -> FileCopy? {
        var random = SystemRandomNumberGenerator()
        let place = self.place(of: FileID.drawn(using: &random))
        guard (try? FileSystem.link(self.place(of: upload), as: place)) != nil else { return nil }
        return FileCopy(place, isTemporary: true)
    }

    /// A draft of a file that lies elsewhere, gone with what comes back.
    package func copy(filledBy fill: (UploadFile) throws(FileTrouble) -> Void) throws(FileTrouble) -> FileCopy {
        var random = SystemRandomNumberGenerator()
        let draft = try self.begin(.drawn(using: &random))
        let copy = FileCopy(draft.path, isTemporary: true)
        try fill(draft)
        return copy
    }

    /// Keeps what was made of a file beside it.
    func keepThumbnail(_ bytes: [UInt8], of hash: ContentHash, drawn id: FileID) throws(FileTrouble) {
        let draft = try self.begin(id)
        defer { self.removeUpload(id) }
        try draft.append(bytes)
        try draft.sync()
        let place = self.thumbnailPlace(of: hash)
        do throws(SystemError) {
            try FileSystem.rename(draft.path, to: place)
            try FileSystem.syncDirectory(self.folder(of: hash))
        } catch {
            guard error.errno == .crossDevice else { throw FileTrouble(error) }
            try Self.carry(draft, to: place)
        }
    }

    package func thumbnailSize(of file: KeptFile) -> PictureSize? {
        let small = FileSystem.front(of: self.thumbnailPlace(of: file.hash), maximum: FileType.lookedAt)
        return small.flatMap { PictureSize(of: Thumbnailer.form(of: file.type), in: $0.span) }
    }

    /// The whole of a small file; nil when it is missing or longer than that.
    package func bytes(of hash: ContentHash, isThumbnail: Bool, upTo limit: Int) -> [UInt8]? {
        let place = isThumbnail ? self.thumbnailPlace(of: hash) : self.place(of: hash)
        return FileSystem.front(of: place, maximum: limit + 1).flatMap { $0.count <= limit ? $0 : nil }
    }

    package func hasThumbnail(_ hash: ContentHash) -> Bool { Self.size(of: self.thumbnailPlace(of: hash)) != nil }
}

// MARK: - Throwing away

extension FileFolder {
    /// False when a sweep is under way already. Ask the store for what is not referred to only after this.
    package func beginSweep() -> Bool { self.pins.withLock { $0.sweepBegan() } }

    package func endSweep() { self.pins.withLock { $0.sweepEnded() } }

    /// There are so many folders for contents, by the first byte of their hash.
    package static let folders = 256

    /// What lies in one of the folders, whether anybody knows of it or not.
    package func contents(ofFolder number: Int) -> [ContentHash] {
        let digits = String(number, radix: 16)
        let prefix = digits.count < 2 ? "0\(digits)" : digits
        return (FileSystem.names(in: "\(self.files)/\(prefix)") ?? []).compactMap { ContentHash(prefix + $0) }
    }

    /// Says how many went.
    package func remove(_ hashes: [ContentHash]) -> Int {
        var count = 0
        for hash in hashes {
            // Under the lock, so that no client brings the same bytes in between.
            self.pins.withLock { pins in
                guard pins.mayRemove(hash) else { return }
                FileSystem.remove(self.thumbnailPlace(of: hash))
                if FileSystem.remove(self.place(of: hash)) { count += 1 }
            }
        }
        return count
    }
}

extension FileFolder {
    private static let piece = 1 << 20
    private static let maximumThumbnailBytes = 4 << 20

    /// Takes over what lies in another folder, and looks whether it is what its name says. What is here already stays.
    ///
    /// - Parameter draft: a name no other thread writes under.
    /// - Returns: false when it is not there.
    package func take(
        _ hash: ContentHash, size: Int, from other: FileFolder, as draft: FileID
    ) throws(FileTrouble) -> Bool {
        if self.size(of: hash) != size {
            let place = other.place(of: hash)
            guard FileSystem.exists(place) else { return false }
            let file = try FileTrouble.catching { () throws(SystemError) in try FileHandle(place, for: .reading) }
            try self.copy(from: file, as: draft, expecting: hash)
        }
        try self.takeThumbnail(of: hash, from: other, as: draft)
        return true
    }

    private func copy(
        from file: borrowing FileHandle, as draft: FileID, expecting hash: ContentHash
    ) throws(FileTrouble) {
        let upload = try self.begin(draft)
        defer { self.removeUpload(draft) }
        var bytes: [UInt8] = []
        while true {
            try FileTrouble.catching { () throws(SystemError) in try file.read(into: &bytes, upTo: Self.piece) }
            if bytes.isEmpty { break }
            try upload.append(bytes)
        }
        let kept = try self.keep(upload)
        self.settled(kept.hash, draft)
        guard kept.hash == hash else {
            _ = self.remove([kept.hash])
            throw FileTrouble(.damaged, file.path)
        }
    }

    private func takeThumbnail(
        of hash: ContentHash, from other: FileFolder, as draft: FileID
    ) throws(FileTrouble) {
        guard !self.hasThumbnail(hash),
            let bytes = other.bytes(of: hash, isThumbnail: true, upTo: Self.maximumThumbnailBytes)
        else { return }
        try self.keepThumbnail(bytes, of: hash, drawn: draft)
    }
}
