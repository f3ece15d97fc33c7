import Conversing
import FileTypes
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("An export from a store")
struct ExportTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private static func newID() -> ConversationID {
        var random = SystemRandomNumberGenerator()
        return ConversationID(RandomToken(using: &random))
    }

    private static func say(_ text: String, _ sender: UserID, to other: UserID, _ store: TestStore) async throws {
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"\#(text)"}"#.utf8)))
        let request = ChangeRequest(.user(other, new: Self.newID()), .post(draft), by: sender, at: Self.now)
        _ = try await store.ask(request).get()
    }

    private static func export(_ user: UserID, _ store: TestStore) async throws -> [ExportPortion] {
        var (request, portions) = (ExportRequest(of: user, at: Self.now), [ExportPortion]())
        while portions.count < 1000 {
            let portion = try await store.ask(request)
            portions.append(portion)
            guard let next = portion.next else { return portions }
            request.place = next
        }
        Issue.record("it never ends")
        return portions
    }

    @Test("A17.own tells a user's own words of every conversation, in portions", arguments: Engine.allCases)
    func entries(engine: Engine) async throws {
        let store = try TestStore(engine)
        for number in 0..<600 {
            try await Self.say("a\(number)", .alice, to: .bob, store)
            try await Self.say("b\(number)", .bob, to: .alice, store)
        }
        try await Self.say("to myself", .alice, to: .alice, store)
        let portions = try await Self.export(.alice, store)
        let items = portions.flatMap(\.items)
        let entries = items.compactMap { if case .entry(let entry, _, _) = $0 { entry } else { nil } }
        #expect(entries.count == 601 && entries.allSatisfy { $0.sender == .alice })
        #expect(items.count { if case .conversation = $0 { true } else { false } } == 2)
        // No portion holds more than what one look into the store brings.
        #expect(portions.allSatisfy { $0.items.count <= 500 })
    }

    @Test("A17.own lists a user's own files, and no others", arguments: Engine.allCases)
    func files(engine: Engine) async throws {
        let store = try TestStore(engine)
        var (random, own) = (SeededRandom(seed: 3), Set<FileID>())
        for number in 0..<150 {
            let hash = try #require(ContentHash([UInt8](repeating: UInt8(number), count: 32)))
            let owner = number % 3 == 0 ? UserID.bob : .alice
            let file = FileRecord(
                .drawn(using: &random), of: owner, hash, size: 1, type: .text, label: nil, created: Self.now)
            try await store.ask(AddFile(file))
            if owner == .alice { own.insert(file.id) }
        }
        let items = try await Self.export(.alice, store).flatMap(\.items)
        let files = items.compactMap { if case .file(let file) = $0 { file.id } else { nil } }
        #expect(files.count == 100 && Set(files) == own)
    }
}
