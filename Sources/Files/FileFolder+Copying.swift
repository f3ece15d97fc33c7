internal import System
package import Vocabulary

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
            let bytes = other.bytes(of: hash, isThumbnail: true, upTo: Self.longestThumbnail)
        else { return }
        try self.keepThumbnail(bytes, of: hash, drawn: draft)
    }
}
