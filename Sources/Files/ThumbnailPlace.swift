package import FileTypes
internal import System
package import Vocabulary

/// Where large pictures are found and small ones are kept. All of it blocks.
package protocol ThumbnailPlace: Sendable {
    /// Of one that was made when the same picture was uploaded before.
    func thumbnailSize(of file: KeptFile) -> PictureSize?
    /// The file as one on this disk, for a program that reads it.
    ///
    /// - Parameter upload: what it was brought as, if that may still be there.
    func copy(of file: KeptFile, from upload: FileID?) -> FileCopy?
    func keepThumbnail(_ bytes: [UInt8], of file: KeptFile) throws(FileTrouble)
}

/// A file on this disk, for as long as this lives.
package final class FileCopy: Sendable {
    package let path: String
    private let isTemporary: Bool

    init(_ path: String, isTemporary: Bool = false) {
        self.path = path
        self.isTemporary = isTemporary
    }

    deinit {
        if self.isTemporary { FileSystem.remove(self.path) }
    }
}
