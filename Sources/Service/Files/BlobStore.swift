internal import FileTypes
internal import Files
internal import HTTPServer
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// Where contents lie for good, each under its hash, with the small picture beside the large one. Uploads that are under way lie on the disk
/// of the node they came to, whatever the store is.
///
/// What a thumbnail needs, and all else that says so, blocks; everything else is answered on the loop it was asked on.
protocol BlobStore: ThumbnailPlace {
    /// A file is whole: it gets its place. It is not removed from there until `settled`. Once this says that it is kept, it is safe.
    func keep(
        _ upload: UploadFile, on reactor: Reactor, _ done: @escaping (Result<KeptFile, FileTrouble>) -> Void)

    /// The file is referred to now, or never will be. Blocks.
    ///
    /// - Parameter upload: what it was written as, when that is not needed any more.
    func settled(_ hash: ContentHash, _ upload: FileID?)

    /// Gives it out, or says where it is to be had.
    ///
    /// - Parameter refuse: called instead when nothing comes of it.
    func send(_ blob: Blob, to exchange: HTTPExchange, orElse refuse: @escaping (FileProblem) -> Void)

    /// The whole of a small file; nil when it is missing or longer than that. Blocks.
    func bytes(of hash: ContentHash, isThumbnail: Bool, upTo limit: Int) -> [UInt8]?

    /// False when a sweep is under way already. Ask for what is not referred to only after this.
    func beginSweep() -> Bool
    func endSweep()
    /// What lies in one of `FileFolder.folders`, whether anybody knows of it or not. Blocks.
    func contents(ofFolder number: Int) -> [ContentHash]
    /// Says how many went. Blocks.
    func remove(_ hashes: [ContentHash]) -> Int
    /// What was begun long ago and nobody goes on with. Blocks.
    func removeLeftovers()
}

/// One of the two forms of a file, and how it is given out.
struct Blob {
    let hash: ContentHash
    let isSmall: Bool
    /// Nil where only the store knows.
    let size: Int?
    let type: FileType
    let disposition: String
    /// For how many seconds a client may keep it without asking again.
    let life: Int64

    init(_ file: FileRecord, _ part: FileLinks.Part, life: Int64) {
        self.hash = file.hash
        self.isSmall = part == .thumbnail
        self.size = self.isSmall ? nil : file.size
        self.type = self.isSmall ? Thumbnailer.form(of: file.type) : file.type
        self.disposition = ContentDisposition.value(inline: self.type.isShown, name: file.label?.text)
        self.life = life
    }

    var tag: String { self.isSmall ? "\(self.hash.text)-small" : self.hash.text }

    /// A user's bytes on our own address: a browser is told what they are, believes nothing else (as of every answer), and gives
    /// them no rights here.
    var fields: HTTPFields {
        var fields: HTTPFields = [.contentType: self.type.mediaType]
        fields.set("Content-Security-Policy", to: "sandbox; default-src 'none'")
        fields.set("Cross-Origin-Resource-Policy", to: "cross-origin")
        fields.set("Content-Disposition", to: self.disposition)
        fields.set(.cacheControl, to: self.life > 0 ? "private, max-age=\(self.life), immutable" : "private, no-cache")
        return fields
    }
}
