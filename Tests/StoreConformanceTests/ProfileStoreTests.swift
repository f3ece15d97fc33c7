import FileTypes
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store of profiles")
struct ProfileStoreTests {
    @Test("A09 changes what is asked for, and leaves what is not", arguments: Engine.allCases)
    func wishes(engine: Engine) async throws {
        let album = try Album(engine)
        let name = try #require(DisplayName("Alice"))
        let first = try await album.change { $0.name = .set(name) }.get()
        #expect(first.isNews && first.profile.displayName == name && first.profile.avatar == nil)
        let picture = try await album.picture()
        let second = try await album.change { $0.picture = .set(picture) }.get()
        #expect(second.isNews && second.profile.displayName == name && second.profile.avatar == picture.link)
        #expect(try await album.change { $0.name = .set(name) }.get().isNews == false)
        #expect(try await album.store.ask(FindProfiles(of: [.bob, .alice])) == [second.profile])
        #expect(try await album.change { $0.name = .remove }.get().profile.shownName == nil)
    }

    @Test("A09 finds what is known of somebody who comes in, and whom they block", arguments: Engine.allCases)
    func visitors(engine: Engine) async throws {
        let album = try Album(engine)
        let stranger = try await album.store.ask(FindVisitor(of: .bob))
        #expect(stranger.profile == nil && stranger.blocked.isEmpty)
        let name = try #require(DisplayName("Alice"))
        let profile = try await album.change { $0.name = .set(name) }.get().profile
        try await album.store.ask(SetBlocked(true, .bob, by: .alice)).get()
        let known = try await album.store.ask(FindVisitor(of: .alice))
        #expect(known.profile == profile && known.blocked == [.bob])
        let words = Introduction(.alice, displayName: name, avatar: nil, at: album.now)
        #expect(try await album.store.ask(words) == known)
    }

    @Test("A10 keeps a picture for as long as somebody shows it, and no longer", arguments: Engine.allCases)
    func uses(engine: Engine) async throws {
        let album = try Album(engine)
        let (old, new) = (try await album.picture(), try await album.picture())
        #expect(try await !album.isSeen(old))
        _ = try await album.change { $0.picture = .set(old) }.get()
        #expect(try await album.isSeen(old))
        #expect(try await album.store.ask(RemoveFile(old.file, of: .alice)) == .inUse)
        // Told again it is used once all the same.
        _ = try await album.change { $0.picture = .set(old) }.get()
        _ = try await album.change { $0.picture = .set(new) }.get()
        #expect(try await album.isSeen(new))
        #expect(try await !album.isSeen(old))
        #expect(try await album.sweep() == 1)
        _ = try await album.change { $0.picture = .remove }.get()
        #expect(try await album.sweep() == 1)
    }

    @Test("gives a stranger's picture to who registers with it, once (M10)", arguments: Engine.allCases)
    func adoption(engine: Engine) async throws {
        let album = try Album(engine)
        let stranger = try #require(UserID("stranger:1"))
        let (left, taken) = (try await album.picture(stranger, .open), try await album.picture(stranger, .open))
        let own = try await album.picture(.bob, .open)
        let user = StoredUser(
            id: .alice, name: try UserName("alice_1"), avatar: taken.link, created: album.now)
        #expect(try await album.store.ask(AddUser(user)) == .added)
        let adopt = { try await album.store.ask(AdoptPicture($0, by: .alice, from: "stranger:")) }
        #expect(try await !adopt(own.file))
        #expect(try await adopt(taken.file))
        #expect(try await !adopt(left.file))
        #expect(try await album.store.ask(FindFile(taken.file, for: .anybody))?.owner == .alice)
        #expect(try await album.sweep() == 2)
        #expect(try await album.isSeen(taken))
        _ = try await album.change { $0.picture = .remove }.get()
        #expect(try await album.sweep() == 1)
    }

    @Test("A10 refuses what is somebody else's, too large, or no picture", arguments: Engine.allCases)
    func refusals(engine: Engine) async throws {
        let album = try Album(engine)
        let (foreign, large) = (try await album.picture(.bob), try await album.picture(size: 10 << 20 + 1))
        let hash = try #require(ContentHash([UInt8](repeating: 1, count: 32)))
        let text = FileRecord(
            .drawn(using: &album.random.value), of: .alice, hash, size: 1, type: .text, label: nil, created: album.now)
        try await album.store.ask(AddFile(text))
        let words = ProfileChange.Picture(text.id, at: large.link)
        #expect(try await album.change { $0.picture = .set(foreign) } == .failure(.noFile))
        #expect(try await album.change { $0.picture = .set(large) } == .failure(.noPicture))
        #expect(try await album.change { $0.picture = .set(words) } == .failure(.noPicture))
    }

    @Test("A09 believes whoever spoke last: the user, or who vouches for them", arguments: Engine.allCases)
    func introductions(engine: Engine) async throws {
        let album = try Album(engine)
        let (own, given) = (try #require(DisplayName("Own")), try #require(DisplayName("Given")))
        let link = try #require(AvatarLink("https://example.org/a.png"))
        let introduce = { (name: DisplayName?, avatar: AvatarLink?, seconds: Int64) in
            let words = Introduction(.alice, displayName: name, avatar: avatar, at: album.now + .seconds(seconds))
            _ = try await album.store.ask(words)
            return try #require(try await album.store.ask(FindProfiles(of: [.alice])).first)
        }
        #expect(try await introduce(given, nil, 0).shownName == given)
        let picture = try await album.picture()
        _ = try await album.change(at: album.now + .seconds(10)) {
            $0.name = .set(own)
            $0.picture = .set(picture)
        }
        #expect(try await introduce(given, link, 9).shownName == own)
        let later = try await introduce(nil, link, 11)
        #expect(later.shownName == own && later.avatar == link)
        #expect(try await !album.isSeen(picture))
        #expect(try await album.sweep() == 1)
    }
}

/// A user and their pictures.
private struct Album {
    let store: TestStore
    let random = Box(SeededRandom(seed: 5))
    let now = WallTime(milliseconds: 1_000_000)

    init(_ engine: Engine) throws { self.store = try TestStore(engine) }

    func picture(
        _ owner: UserID = .alice, _ stay: FileStay = .usual, size: Int = 100
    ) async throws -> ProfileChange.Picture {
        let content = UInt8.random(in: 0...255, using: &self.random.value)
        let hash = try #require(ContentHash([UInt8](repeating: content, count: 32)))
        var file = FileRecord(
            .drawn(using: &self.random.value), of: owner, hash, size: size, type: .png, label: nil, created: self.now)
        file.picture = PictureSize(width: 30, height: 20)
        file.stay = stay
        try await self.store.ask(AddFile(file))
        return ProfileChange.Picture(file.id, at: try #require(AvatarLink("/v1/avatars/\(file.id.text)")))
    }

    func change(
        at now: WallTime? = nil, _ wish: (inout ProfileChange) -> Void
    ) async throws -> Result<ChangedProfile, ProfileRefusal> {
        var change = ProfileChange(of: .alice, at: now ?? self.now)
        wish(&change)
        return try await self.store.ask(change)
    }

    func isSeen(_ picture: ProfileChange.Picture) async throws -> Bool {
        try await self.store.ask(FindFile(picture.file, for: .onlooker)) != nil
    }

    func sweep() async throws -> Int {
        let later = self.now + .seconds(1)
        return try await self.store.ask(SweepFiles(at: later, unusedSince: later, limit: 10)).contents.count
    }
}
