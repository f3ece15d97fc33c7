import FileTypes
import Hashing
import TestSupport
import Testing
import Vocabulary

@testable import Files

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A folder for files that is gone with the test.
final class Shelf {
    let root: TemporaryFolder
    let folder: FileFolder
    private var random = SeededRandom(seed: 1)

    init(reserve: Int = FileFolder.usualReserve) throws {
        self.root = try TemporaryFolder()
        self.folder = try FileFolder(self.root.path, reserve: reserve)
    }

    deinit { removeTree(self.root.path) }

    func newID() -> FileID { .drawn(using: &self.random) }

    func upload(_ pieces: [UInt8]...) throws -> UploadFile {
        let upload = try self.folder.begin(self.newID())
        for piece in pieces { try upload.append(piece) }
        return upload
    }

    func uploads() -> [String] { SampleFolder("\(self.root.path)/uploads").names }
}

/// A file system that is not the one of temporary files.
private let otherDisk: String? = {
    var (own, other) = (stat(), stat())
    guard stat("/tmp", &own) == 0, stat("/dev/shm", &other) == 0, own.st_dev != other.st_dev else { return nil }
    return "/dev/shm"
}()

@Suite("A folder of files")
struct FileFolderTests {
    @Test("D05 keeps the very bytes, under their hash")
    func keeps() throws {
        let shelf = try Shelf()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let upload = try shelf.upload(Array(bytes[..<7]), Array(bytes[7...]))
        let kept = try shelf.folder.keep(upload)
        #expect(kept.hash.bytes == Digest.sha256.hash(bytes) && kept.size == bytes.count)
        shelf.folder.settled(kept.hash, upload.id)
        #expect(try SampleFolder.contents(of: shelf.folder.place(of: kept.hash)) == bytes)
        #expect(shelf.uploads().isEmpty)
    }

    @Test("keeps the same bytes once")
    func once() throws {
        let shelf = try Shelf()
        let (one, other) = (try shelf.upload([1, 2, 3]), try shelf.upload([1, 2], [3]))
        let (first, second) = (try shelf.folder.keep(one), try shelf.folder.keep(other))
        #expect(first == second)
        shelf.folder.settled(first.hash, one.id)
        shelf.folder.settled(second.hash, other.id)
        #expect(shelf.folder.remove([first.hash]) == 1)
        #expect(shelf.folder.remove([first.hash]) == 0)
    }

    @Test("keeps files in another file system than uploads, as machines share it", .enabled(if: otherDisk != nil))
    func carries() throws {
        let shelf = try Shelf()
        let shared = try #require(otherDisk) + "/parley-tests-\(shelf.newID().text)"
        defer { removeTree(shared) }
        #expect(mkdir(shared, 0o700) == 0 && rmdir("\(shelf.root.path)/files") == 0)
        #expect(symlink(shared, "\(shelf.root.path)/files") == 0)
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let upload = try shelf.upload(bytes)
        let kept = try shelf.folder.keep(upload)
        shelf.folder.settled(kept.hash, upload.id)
        #expect(try SampleFolder.contents(of: shelf.folder.place(of: kept.hash)) == bytes)
        try shelf.folder.keepThumbnail([1, 2, 3], of: kept)
        #expect(shelf.folder.bytes(of: kept.hash, isThumbnail: true, upTo: 9) == [1, 2, 3])
        #expect(shelf.uploads().isEmpty && shelf.folder.contents(ofFolder: Int(kept.hash.bytes[0])) == [kept.hash])
    }

    @Test("forgets uploads that nobody has gone on with for long, and no others")
    func forgets() throws {
        let shelf = try Shelf()
        let (old, new) = (try shelf.upload([1]), try shelf.upload([2]))
        let times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
        #expect(utimes(old.path, times) == 0)
        #expect(shelf.folder.removeUploads(untouchedFor: .seconds(3600)) == 1)
        #expect(shelf.uploads() == [new.id.text])
    }

    @Test("mends a file of which the disk has lost a part")
    func mends() throws {
        let shelf = try Shelf()
        let first = try shelf.upload([1, 2, 3])
        let place = shelf.folder.place(of: try shelf.folder.keep(first).hash)
        try overwrite(place, with: [1])
        _ = try shelf.folder.keep(try shelf.upload([1, 2, 3]))
        #expect(try SampleFolder.contents(of: place) == [1, 2, 3])
    }

    @Test("goes on with an upload where it stopped, also after a restart")
    func resumes() throws {
        let shelf = try Shelf()
        let upload = try shelf.upload([1, 2, 3])
        let again = try shelf.folder.open(upload.id)
        #expect(again.count == 3)
        try again.append([4])
        #expect(try shelf.folder.keep(again).hash.bytes == Digest.sha256.hash([1, 2, 3, 4]))
        #expect(throws: FileTrouble.self) { try shelf.folder.open(shelf.newID()) }
    }

    @Test("takes back a chunk whose sum is another one", arguments: [Digest.sha1, .sha256])
    func chunks(digest: Digest) throws {
        let shelf = try Shelf()
        let upload = try shelf.upload([1, 2])
        upload.beginChunk(digest)
        try upload.append([3])
        #expect(try !upload.endChunk(expecting: digest.hash([4])))
        #expect(upload.count == 2)
        upload.beginChunk(digest)
        try upload.append([4])
        #expect(try upload.endChunk(expecting: digest.hash([4])))
        upload.beginChunk(digest)
        try upload.append([5])
        #expect(try !upload.endChunk(expecting: nil))
        #expect(try shelf.folder.keep(upload).hash.bytes == Digest.sha256.hash([1, 2, 4]))
    }

    @Test("throws nothing away that somebody has just brought, also while it sweeps")
    func pins() throws {
        let shelf = try Shelf()
        let upload = try shelf.upload([1])
        let kept = try shelf.folder.keep(upload)
        #expect(shelf.folder.remove([kept.hash]) == 0)
        #expect(shelf.folder.beginSweep() && !shelf.folder.beginSweep())
        shelf.folder.settled(kept.hash, upload.id)
        #expect(shelf.folder.remove([kept.hash]) == 0)
        shelf.folder.endSweep()
        #expect(shelf.folder.remove([kept.hash]) == 1)
    }

    @Test("says that the disk is full")
    func fullDisk() throws {
        let shelf = try Shelf()
        let upload = try UploadFile(shelf.newID(), at: "/dev/full", isNew: false, reserve: 0)
        let error = #expect(throws: FileTrouble.self) { try upload.append([1]) }
        #expect(error?.reason == .full)
        #expect(upload.count == 0)
        #expect(!shelf.folder.hasRoom(for: 1 << 60))
        #expect(shelf.folder.hasFree(0) && !shelf.folder.hasFree(1 << 60))
    }

    @Test("leaves its reserve alone also when an upload has begun")
    func reserve() throws {
        let shelf = try Shelf(reserve: 1 << 60)
        let upload = try shelf.folder.begin(shelf.newID())
        let error = #expect(throws: FileTrouble.self) { try upload.append([1]) }
        #expect(error?.reason == .full && upload.count == 0)
    }

    @Test("has to have room for what is still to come of all uploads together")
    func promises() throws {
        let shelf = try Shelf()
        let begun = try shelf.folder.begin(shelf.newID())
        try begun.append([UInt8](repeating: 0, count: 1000))
        #expect(shelf.folder.hasRoom(forRestOf: [begun.id: 1000, shelf.newID(): 1000]))
        #expect(!shelf.folder.hasRoom(forRestOf: [begun.id: 1 << 60]))
        #expect(!shelf.folder.hasRoom(forRestOf: [begun.id: .max, shelf.newID(): .max]))
        // Nothing has come for a while.
        var times = (timeval(tv_sec: time(nil) - 601, tv_usec: 0), timeval(tv_sec: time(nil) - 601, tv_usec: 0))
        try withUnsafePointer(to: &times.0) { try #require(utimes(begun.path, $0) == 0) }
        #expect(shelf.folder.hasRoom(forRestOf: [begun.id: .max, shelf.newID(): 1000]))
    }
}

@Suite("A thumbnail", .enabled(if: Thumbnailer() != nil, "needs vipsthumbnail"))
struct ThumbnailerTests {
    private let shelf: Shelf
    private let thumbnailer: Thumbnailer

    init() throws {
        self.shelf = try Shelf()
        self.thumbnailer = try #require(Thumbnailer())
    }

    private func keep(_ bytes: [UInt8]) throws -> KeptFile { try self.shelf.folder.keep(try self.shelf.upload(bytes)) }

    @Test("D07 has a longer side of 300", arguments: [(900, 600, 300, 200), (400, 1600, 75, 300)])
    func size(width: Int, height: Int, smallWidth: Int, smallHeight: Int) throws {
        let kept = try self.keep(GIFSample.picture(width: width, height: height))
        #expect(kept.picture == PictureSize(width: width, height: height))
        let small = try self.thumbnailer.make(of: kept, in: self.shelf.folder)
        #expect(small == PictureSize(width: smallWidth, height: smallHeight))
        #expect(self.shelf.folder.hasThumbnail(kept.hash))
        let bytes = try SampleFolder.contents(of: self.shelf.folder.thumbnailPlace(of: kept.hash))
        #expect(FileType(sniffing: bytes.span, isWhole: true) == .png)
    }

    @Test("D07 of a small picture is the picture itself")
    func small() throws {
        let kept = try self.keep(GIFSample.picture(width: 200, height: 100))
        #expect(throws: Thumbnailer.Failure.smallEnough) { try self.thumbnailer.make(of: kept, in: self.shelf.folder) }
    }

    @Test("is refused of what is too large, broken or no picture at all")
    func refusals() throws {
        let huge = try self.keep(GIFSample.header(width: 60_000, height: 60_000))
        #expect(throws: Thumbnailer.Failure.tooLarge) { try self.thumbnailer.make(of: huge, in: self.shelf.folder) }
        let broken = try self.keep(GIFSample.header(width: 900, height: 600) + [1, 2, 3])
        #expect(throws: Thumbnailer.Failure.refused) { try self.thumbnailer.make(of: broken, in: self.shelf.folder) }
        let text = try self.keep(Array("hello".utf8))
        #expect(throws: Thumbnailer.Failure.refused) { try self.thumbnailer.make(of: text, in: self.shelf.folder) }
        #expect(self.shelf.uploads().count == 3)
    }
}
