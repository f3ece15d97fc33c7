package import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension FileFolder {
    private static let piece = 1 << 20
    private static let longestThumbnail = 4 << 20

    /// Takes over what lies in another folder, and looks whether it is what its name says. What is here already stays.
    ///
    /// - Parameter draft: a name nobody else writes under.
    /// - Returns: false when it is not there.
    package func take(
        _ hash: ContentHash, size: Int, from other: FileFolder, as draft: FileID
    ) throws(FileTrouble) -> Bool {
        if self.size(of: hash) != size {
            let place = other.place(of: hash)
            let descriptor = FileSystem.open(place, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                guard errno == ENOENT else { throw .last(place) }
                return false
            }
            defer { close(descriptor) }
            try self.copy(from: descriptor, at: place, as: draft, expecting: hash)
        }
        try self.takeThumbnail(of: hash, from: other, as: draft)
        return true
    }

    private func copy(
        from descriptor: Int32, at place: String, as draft: FileID, expecting hash: ContentHash
    ) throws(FileTrouble) {
        let upload = try self.begin(draft)
        defer { self.removeUpload(draft) }
        var bytes = [UInt8](repeating: 0, count: Self.piece)
        while true {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last(place) }
            if count == 0 { break }
            try upload.append(Array(bytes.prefix(count)))
        }
        let kept = try self.keep(upload)
        self.settled(kept.hash, draft)
        guard kept.hash == hash else {
            _ = self.remove([kept.hash])
            throw FileTrouble(.damaged, place)
        }
    }

    private func takeThumbnail(
        of hash: ContentHash, from other: FileFolder, as draft: FileID
    ) throws(FileTrouble) {
        guard !self.hasThumbnail(hash),
            let bytes = other.bytes(of: hash, isThumbnail: true, upTo: Self.longestThumbnail)
        else { return }
        try self.keepThumbnail(bytes, of: hash, drawn: draft)
    }
}
