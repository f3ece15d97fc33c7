internal import FileTypes
internal import Files
internal import HTTPServer
internal import Reactor
internal import Vocabulary

/// Contents in a folder of this machine, or in one that it shares with others.
final class FolderStore: BlobStore {
    private let folder: FileFolder
    private let bench: Workbench

    init(_ folder: FileFolder, _ bench: Workbench) {
        self.folder = folder
        self.bench = bench
    }

    func keep(_ upload: UploadFile, on reactor: Reactor, _ done: @escaping (Result<KeptFile, FileTrouble>) -> Void) {
        let (folder, back) = (self.folder, reactor.returning(done))
        let isTaken = self.bench.post { back(Result { () throws(FileTrouble) in try folder.keep(upload) }) }
        if !isTaken { done(.failure(.busy)) }
    }

    func settled(_ hash: ContentHash, _ upload: FileID?) { self.folder.settled(hash, upload) }

    func send(_ blob: Blob, to exchange: HTTPExchange, orElse refuse: @escaping (FileProblem) -> Void) {
        let place = blob.isSmall ? self.folder.thumbnailPlace(of: blob.hash) : self.folder.place(of: blob.hash)
        FileAnswer(path: place, tag: blob.tag, fields: blob.fields).send(to: exchange) { refuse(.notFound) }
    }

    func bytes(of hash: ContentHash, isThumbnail: Bool, upTo limit: Int) -> [UInt8]? {
        self.folder.bytes(of: hash, isThumbnail: isThumbnail, upTo: limit)
    }

    func thumbnailSize(of file: KeptFile) -> PictureSize? { self.folder.thumbnailSize(of: file) }
    func copy(of file: KeptFile, from upload: FileID?) -> FileCopy? { self.folder.copy(of: file, from: upload) }
    func keepThumbnail(_ bytes: [UInt8], of file: KeptFile) throws(FileTrouble) {
        try self.folder.keepThumbnail(bytes, of: file)
    }

    func beginSweep() -> Bool { self.folder.beginSweep() }
    func endSweep() { self.folder.endSweep() }
    func contents(ofFolder number: Int) -> [ContentHash] { self.folder.contents(ofFolder: number) }
    func remove(_ hashes: [ContentHash]) -> Int { self.folder.remove(hashes) }
    func removeLeftovers() {}
}

extension FileTrouble {
    /// Too many wait for a disk already.
    static let busy = FileTrouble(.store("too many files are being kept"), "files")
}
