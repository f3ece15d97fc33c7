import FileTypes
import TestSupport
import Testing
import Vocabulary

@testable import Store

@Suite("A store of profiles")
struct ProfileStoreTests {
    private let store: SQLiteStore
    private let random = Box(SeededRandom(seed: 5))
    private let now = WallTime(milliseconds: 1_000_000)

    init() throws { self.store = try SQLiteStore(path: Connection.memory) }

    private func picture(_ owner: UserID = .alice, size: Int = 100) async throws -> ProfileChange.Picture {
        let content = UInt8.random(in: 0...255, using: &self.random.value)
        let hash = try #require(ContentHash([UInt8](repeating: content, count: 32)))
        var file = FileRecord(
            .drawn(using: &self.random.value), of: owner, hash, size: size, type: .png, label: nil, created: self.now)
        file.picture = PictureSize(width: 30, height: 20)
        try await ask { self.store.add(file, $0) }
        return ProfileChange.Picture(file.id, at: try #require(AvatarLink("/v1/avatars/\(file.id.text)")))
    }

    private func change(
        at now: WallTime? = nil, _ wish: (inout ProfileChange) -> Void
    ) async throws -> Result<ChangedProfile, ProfileRefusal> {
        var change = ProfileChange(of: .alice, at: now ?? self.now)
        wish(&change)
        return try await ask { [change] in self.store.change(change, $0) }
    }

    private func isSeen(_ picture: ProfileChange.Picture) async throws -> Bool {
        try await ask { self.store.file(picture.file, for: .onlooker, $0) } != nil
    }

    private func sweep() async throws -> Int {
        let later = self.now + .seconds(1)
        return try await ask { self.store.sweepFiles(at: later, unusedSince: later, limit: 10, $0) }.contents.count
    }

    @Test("A09 changes what is asked for, and leaves what is not")
    func wishes() async throws {
        let name = try #require(DisplayName("Alice"))
        let first = try await self.change { $0.name = .set(name) }.get()
        #expect(first.isNews && first.profile.displayName == name && first.profile.avatar == nil)
        let picture = try await self.picture()
        let second = try await self.change { $0.picture = .set(picture) }.get()
        #expect(second.isNews && second.profile.displayName == name && second.profile.avatar == picture.link)
        #expect(try await self.change { $0.name = .set(name) }.get().isNews == false)
        #expect(try await ask { self.store.profiles(of: [.bob, .alice], $0) } == [second.profile])
        #expect(try await self.change { $0.name = .remove }.get().profile.shownName == nil)
    }

    @Test("A10 keeps a picture for as long as somebody shows it, and no longer")
    func uses() async throws {
        let (old, new) = (try await self.picture(), try await self.picture())
        #expect(try await !self.isSeen(old))
        _ = try await self.change { $0.picture = .set(old) }.get()
        #expect(try await self.isSeen(old))
        #expect(try await ask { self.store.remove(old.file, of: .alice, $0) } == .inUse)
        // Told again it is used once all the same.
        _ = try await self.change { $0.picture = .set(old) }.get()
        _ = try await self.change { $0.picture = .set(new) }.get()
        #expect(try await self.isSeen(new))
        #expect(try await !self.isSeen(old))
        #expect(try await self.sweep() == 1)
        _ = try await self.change { $0.picture = .remove }.get()
        #expect(try await self.sweep() == 1)
    }

    @Test("A10 refuses what is somebody else's, too large, or no picture")
    func refusals() async throws {
        let (foreign, large) = (try await self.picture(.bob), try await self.picture(size: 10 << 20 + 1))
        let hash = try #require(ContentHash([UInt8](repeating: 1, count: 32)))
        let text = FileRecord(
            .drawn(using: &self.random.value), of: .alice, hash, size: 1, type: .text, label: nil, created: self.now)
        try await ask { self.store.add(text, $0) }
        let words = ProfileChange.Picture(text.id, at: large.link)
        #expect(try await self.change { $0.picture = .set(foreign) } == .failure(.noFile))
        #expect(try await self.change { $0.picture = .set(large) } == .failure(.noPicture))
        #expect(try await self.change { $0.picture = .set(words) } == .failure(.noPicture))
    }

    @Test("A09 believes whoever spoke last: the user, or who vouches for them")
    func introductions() async throws {
        let (own, given) = (try #require(DisplayName("Own")), try #require(DisplayName("Given")))
        let link = try #require(AvatarLink("https://example.org/a.png"))
        let introduce = { (name: DisplayName?, avatar: AvatarLink?, seconds: Int64) in
            let words = Introduction(.alice, displayName: name, avatar: avatar, at: self.now + .seconds(seconds))
            try await ask { self.store.introduce(words, $0) }
            return try #require(try await ask { self.store.profiles(of: [.alice], $0) }.first)
        }
        #expect(try await introduce(given, nil, 0).shownName == given)
        let picture = try await self.picture()
        _ = try await self.change(at: self.now + .seconds(10)) {
            $0.name = .set(own)
            $0.picture = .set(picture)
        }
        #expect(try await introduce(given, link, 9).shownName == own)
        let later = try await introduce(nil, link, 11)
        #expect(later.shownName == own && later.avatar == link)
        #expect(try await !self.isSeen(picture))
        #expect(try await self.sweep() == 1)
    }
}
