import Conversing
import FileTypes
import TestSupport
import Testing
import Vocabulary

@testable import Store

@Suite("A store of files")
struct FileStoreTests {
    private let store: SQLiteStore
    private let random = Box(SeededRandom(seed: 11))
    private let now = WallTime(milliseconds: 1_000_000)
    private let allowance = FileAllowance(bytes: 1000, uploads: 3)

    init() throws { self.store = try SQLiteStore(path: Connection.memory) }

    private func newID() -> FileID { .drawn(using: &self.random.value) }

    private func begin(_ length: Int, _ owner: UserID = .alice) async throws -> (FileID, UploadBeginning) {
        let upload = UploadRecord(
            self.newID(), of: owner, length: length, label: FileLabel(cleaning: "a.txt"), expiry: self.now)
        return (upload.id, try await ask { self.store.begin(upload, self.allowance, $0) })
    }

    private func add(_ owner: UserID = .alice, _ content: UInt8 = 1) async throws -> FileID {
        let hash = try #require(ContentHash([UInt8](repeating: content, count: 32)))
        var file = FileRecord(
            self.newID(), of: owner, hash, size: 100, type: .png, label: nil, created: self.now)
        file.picture = PictureSize(width: 900, height: 600)
        try await ask { self.store.add(file, $0) }
        return file.id
    }

    private func canSee(_ file: FileID, _ user: UserID) async throws -> Bool {
        try await ask { self.store.file(file, for: .user(user), $0) }?.id == file
    }

    private func send(
        _ file: FileID, _ kind: MessageKind = .image, by user: UserID = .alice, to other: UserID = .bob,
        as name: String? = nil
    ) async throws -> Result<Happening, ConversationRefusal> {
        let body = kind == .mixed ? #"{"files":["\#(file.text)"]}"# : #"{"file":"\#(file.text)"}"#
        let id = try #require(ConversationID("c-\(self.newID().text)"))
        let request = ChangeRequest(
            .user(other, new: id), .post(Draft(kind, MessageBody(proven: Array(body.utf8)))), by: user,
            as: name.flatMap { MessageID($0) }, at: self.now)
        return try await ask { self.store.change(request, $0) }
    }

    private func change(_ change: ConversationChange, of happening: Happening, by user: UserID = .alice) async throws {
        let request = ChangeRequest(.id(happening.conversation), change, by: user, at: self.now)
        _ = try await ask { self.store.change(request, $0) }.get()
    }

    private func sweep() async throws -> SweptFiles {
        let now = self.now + .seconds(10)
        return try await ask { self.store.sweepFiles(at: now, unusedSince: now, limit: 10, $0) }
    }

    @Test("counts what is on its way against what a user may keep")
    func quota() async throws {
        #expect(try await self.begin(600).1 == .begun)
        #expect(try await self.begin(401).1 == .overQuota(used: 600))
        #expect(try await self.begin(401, .bob).1 == .begun)
        let (second, _) = try await self.begin(400)
        #expect(try await self.begin(1).1 == .overQuota(used: 1000))
        #expect(try await ask { self.store.giveUp(second, of: .bob, $0) } == false)
        #expect(try await ask { self.store.giveUp(second, of: .alice, $0) })
        #expect(try await ask { self.store.upload(second, $0) } == nil)
        for _ in 0..<2 { #expect(try await self.begin(1).1 == .begun) }
        #expect(try await self.begin(1).1 == .tooMany)
    }

    @Test(
        "shows a file to its owner and to those who can read a message that shows it",
        arguments: [MessageKind.image, .mixed])
    func access(kind: MessageKind) async throws {
        let file = try await self.add()
        let carol = try #require(UserID("carol"))
        #expect(try await self.canSee(file, .alice))
        #expect(try await !self.canSee(file, .bob))
        let sent = try await self.send(file, kind).get()
        #expect(try await self.canSee(file, .bob))
        #expect(try await !self.canSee(file, carol))
        _ = try await self.send(file, kind, by: .bob, to: carol).get()
        #expect(try await self.canSee(file, carol))
        try await self.change(.recall(sent.entry.number), of: sent)
        #expect(try await self.canSee(file, .bob), "his own message still shows it")
    }

    @Test("D17 hides a file with the last message that showed it")
    func recall() async throws {
        let file = try await self.add()
        let sent = try await self.send(file).get()
        #expect(try await ask { self.store.remove(file, of: .alice, $0) } == .inUse)
        try await self.change(.recall(sent.entry.number), of: sent)
        #expect(try await !self.canSee(file, .bob))
        #expect(try await ask { self.store.remove(file, of: .bob, $0) } == .unknown)
        #expect(try await ask { self.store.remove(file, of: .alice, $0) } == .removed)
        #expect(try await !self.canSee(file, .alice))
        #expect(try await self.sweep().contents.count == 1)
    }

    @Test("lets nobody show what they cannot see, and tells a retry what became of the first try")
    func showing() async throws {
        let file = try await self.add()
        #expect(try await self.send(file, by: .bob, to: .alice) == .failure(.noFile))
        #expect(try await self.send(self.newID()) == .failure(.noFile))
        let first = try await self.send(file, as: "m1").get()
        let again = try await self.send(file, as: "m1").get()
        #expect(again.isRepeated && again.entry.number == first.entry.number)
        try await self.change(.recall(first.entry.number), of: first)
        #expect(try await self.sweep().contents.count == 1)
        #expect(try await self.send(file, as: "m1").get().isRepeated)
    }

    @Test("shows another file when a message is changed")
    func edit() async throws {
        let (before, after) = (try await self.add(), try await self.add(.alice, 2))
        let sent = try await self.send(before).get()
        let body = MessageBody(proven: Array(#"{"file":"\#(after.text)"}"#.utf8))
        try await self.change(.edit(sent.entry.number, body), of: sent)
        #expect(try await !self.canSee(before, .bob))
        #expect(try await self.canSee(after, .bob))
    }

    @Test("sweeps out what nobody shows, and contents that no file has any more")
    func sweeping() async throws {
        let shown = try await self.add()
        _ = try await self.send(shown).get()
        let (twin, other) = (try await self.add(), try await self.add(.bob, 2))
        let (upload, _) = try await self.begin(5)
        let swept = try await self.sweep()
        #expect(swept.uploads == [upload] && !swept.hasMore)
        #expect(swept.contents.map(\.bytes.first) == [2])
        #expect(try await !self.canSee(twin, .alice))
        #expect(try await !self.canSee(other, .bob))
        #expect(try await self.canSee(shown, .bob))
    }
}
