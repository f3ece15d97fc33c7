import Conversing
import FileTypes
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store of files")
struct FileStoreTests {
    @Test("counts what is on its way against what a user may keep", arguments: Engine.allCases)
    func quota(engine: Engine) async throws {
        let shelf = try Shelf(engine)
        #expect(try await shelf.begin(600).1 == .begun)
        #expect(try await shelf.begin(401).1 == .overQuota(used: 600))
        #expect(try await shelf.begin(401, .bob).1 == .begun)
        let (second, _) = try await shelf.begin(400)
        #expect(try await shelf.begin(1).1 == .overQuota(used: 1000))
        #expect(try await shelf.store.ask(AbandonUpload(second, of: .bob)) == false)
        #expect(try await shelf.store.ask(AbandonUpload(second, of: .alice)))
        #expect(try await shelf.store.ask(FindUpload(second)) == nil)
        for _ in 0..<2 { #expect(try await shelf.begin(1).1 == .begun) }
        #expect(try await shelf.begin(1).1 == .tooMany)
    }

    @Test("M8 keeps how many files a user has, small ones too", arguments: Engine.allCases)
    func count(engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let allowance = FileAllowance(bytes: 1 << 30, uploads: 32, files: 3)
        func begin(_ owner: UserID) async throws -> UploadBeginning {
            let upload = UploadRecord(shelf.newID(), of: owner, length: 1, label: nil, expiry: shelf.now)
            return try await shelf.store.ask(BeginUpload(upload, allowance))
        }
        for content: UInt8 in 0..<2 { _ = try await shelf.add(.alice, content) }
        #expect(try await begin(.alice) == .begun)
        #expect(try await begin(.alice) == .tooManyFiles)
        #expect(try await begin(.bob) == .begun)
    }

    @Test(
        "shows a file to its owner and to those who can read a message that shows it",
        arguments: Engine.allCases, [MessageKind.image, .mixed])
    func access(engine: Engine, kind: MessageKind) async throws {
        let shelf = try Shelf(engine)
        let file = try await shelf.add()
        let carol = try #require(UserID("carol"))
        #expect(try await shelf.canSee(file, .alice))
        #expect(try await !shelf.canSee(file, .bob))
        let sent = try await shelf.send(file, kind).get()
        #expect(try await shelf.canSee(file, .bob))
        #expect(try await !shelf.canSee(file, carol))
        _ = try await shelf.send(file, kind, by: .bob, to: carol).get()
        #expect(try await shelf.canSee(file, carol))
        try await shelf.change(.recall(sent.entry.number), of: sent)
        #expect(try await shelf.canSee(file, .bob), "his own message still shows it")
    }

    @Test("D17 hides a file with the last message that showed it", arguments: Engine.allCases)
    func recall(engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let file = try await shelf.add()
        let sent = try await shelf.send(file).get()
        #expect(try await shelf.store.ask(RemoveFile(file, of: .alice)) == .inUse)
        try await shelf.change(.recall(sent.entry.number), of: sent)
        #expect(try await !shelf.canSee(file, .bob))
        #expect(try await shelf.store.ask(RemoveFile(file, of: .bob)) == .unknown)
        #expect(try await shelf.store.ask(RemoveFile(file, of: .alice)) == .removed)
        #expect(try await !shelf.canSee(file, .alice))
        #expect(try await shelf.sweep().contents.count == 1)
    }

    @Test(
        "lets nobody show what they cannot see, and tells a retry what became of the first try",
        arguments: Engine.allCases)
    func showing(engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let file = try await shelf.add()
        #expect(try await shelf.send(file, by: .bob, to: .alice) == .failure(.noFile))
        #expect(try await shelf.send(shelf.newID()) == .failure(.noFile))
        let first = try await shelf.send(file, as: "m1").get()
        let again = try await shelf.send(file, as: "m1").get()
        #expect(again.isRepeated && again.entry.number == first.entry.number)
        try await shelf.change(.recall(first.entry.number), of: first)
        #expect(try await shelf.sweep().contents.count == 1)
        #expect(try await shelf.send(file, as: "m1").get().isRepeated)
    }

    @Test("shows another file when a message is changed", arguments: Engine.allCases)
    func edit(engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let (before, after) = (try await shelf.add(), try await shelf.add(.alice, 2))
        let sent = try await shelf.send(before).get()
        let body = MessageBody(proven: Array(#"{"file":"\#(after.text)"}"#.utf8))
        try await shelf.change(.edit(sent.entry.number, body), of: sent)
        #expect(try await !shelf.canSee(before, .bob))
        #expect(try await shelf.canSee(after, .bob))
    }

    @Test("sweeps out what nobody shows, and contents that no file has any more", arguments: Engine.allCases)
    func sweeping(engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let shown = try await shelf.add()
        _ = try await shelf.send(shown).get()
        let (twin, other) = (try await shelf.add(), try await shelf.add(.bob, 2))
        let (upload, _) = try await shelf.begin(5)
        let swept = try await shelf.sweep()
        #expect(swept.uploads == [upload] && !swept.hasMore)
        #expect(swept.contents.map(\.bytes.first) == [2])
        #expect(try await !shelf.canSee(twin, .alice))
        #expect(try await !shelf.canSee(other, .bob))
        #expect(try await shelf.canSee(shown, .bob))
    }

    @Test(
        "D07 A file gets its small picture after it was added, and one that is gone gets none",
        arguments: Engine.allCases)
    func lateThumbnail(on engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let file = try await shelf.add()
        let size = PictureSize(width: 300, height: 200)
        try await shelf.store.ask(AddPreview(.thumbnail(size), of: file, by: .alice))
        try await shelf.store.ask(AddPreview(.thumbnail(size), of: shelf.newID(), by: .alice))
        let found = try await shelf.store.ask(FindFile(file, for: .user(.alice)))
        #expect(found?.thumbnail == size)
    }

    @Test("K11.measured A recording keeps its length and its bars", arguments: Engine.allCases)
    func outline(on engine: Engine) async throws {
        let shelf = try Shelf(engine)
        let file = try await shelf.add()
        let bars = (0..<UInt8(SoundOutline.barCount)).map { $0 }
        let outline = try #require(SoundOutline(milliseconds: 1234, bars: bars))
        try await shelf.store.ask(AddPreview(.outline(outline), of: file, by: .alice))
        try await shelf.store.ask(AddPreview(.outline(outline), of: shelf.newID(), by: .alice))
        let found = try await shelf.store.ask(FindFile(file, for: .user(.alice)))
        #expect(found?.outline == outline && found?.thumbnail == nil)
    }
}

/// Files of a few people, and the messages that show them.
private struct Shelf {
    let store: TestStore
    let random = Box(SeededRandom(seed: 11))
    let now = WallTime(milliseconds: 1_000_000)
    let allowance = FileAllowance(bytes: 1000, uploads: 3)

    init(_ engine: Engine) throws { self.store = try TestStore(engine) }

    func newID() -> FileID { .drawn(using: &self.random.value) }

    func begin(_ length: Int, _ owner: UserID = .alice) async throws -> (FileID, UploadBeginning) {
        let upload = UploadRecord(
            self.newID(), of: owner, length: length, label: FileLabel(cleaning: "a.txt"), expiry: self.now)
        return (upload.id, try await self.store.ask(BeginUpload(upload, self.allowance)))
    }

    func add(_ owner: UserID = .alice, _ content: UInt8 = 1) async throws -> FileID {
        let hash = try #require(ContentHash([UInt8](repeating: content, count: 32)))
        var file = FileRecord(
            self.newID(), of: owner, hash, size: 100, type: .png, label: nil, created: self.now)
        file.picture = PictureSize(width: 900, height: 600)
        try await self.store.ask(AddFile(file))
        return file.id
    }

    func canSee(_ file: FileID, _ user: UserID) async throws -> Bool {
        try await self.store.ask(FindFile(file, for: .user(user)))?.id == file
    }

    func send(
        _ file: FileID, _ kind: MessageKind = .image, by user: UserID = .alice, to other: UserID = .bob,
        as name: String? = nil
    ) async throws -> Result<ChangeOutcome, ConversationRefusal> {
        let body = kind == .mixed ? #"{"files":["\#(file.text)"]}"# : #"{"file":"\#(file.text)"}"#
        let id = try #require(ConversationID("c-\(self.newID().text)"))
        let request = ChangeRequest(
            .user(other, new: id), .post(Draft(kind, MessageBody(proven: Array(body.utf8)))), by: user,
            as: name.flatMap { MessageID($0) }, at: self.now)
        return try await self.store.ask(request)
    }

    func change(_ change: ConversationChange, of outcome: ChangeOutcome, by user: UserID = .alice) async throws {
        let request = ChangeRequest(.id(outcome.conversation), change, by: user, at: self.now)
        _ = try await self.store.ask(request).get()
    }

    func sweep() async throws -> SweptFiles {
        let now = self.now + .seconds(10)
        return try await self.store.ask(SweepFiles(at: now, unusedSince: now, limit: 10))
    }
}
