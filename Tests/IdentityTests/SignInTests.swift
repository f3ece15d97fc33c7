import Identity
import Secure
import Keeping
import MemoryStore
import Testing
import Vocabulary

@Suite("Somebody without a name")
struct AnonymousTests {
    @Test("gets an id of their own and tokens for it")
    func signIn() async throws {
        let world = try World()
        let name = try #require(DisplayName("访客"))
        let first = try await world.accounts.signInAnonymously(as: name, from: world.home)
        let second = try await world.accounts.signInAnonymously(from: world.home)
        #expect(first.identity.user != second.identity.user)
        #expect(first.longLived == nil && first.name == nil)
        let identity = try world.accounts.identity(ofToken: first.access.text)
        #expect(identity == first.identity)
        #expect(identity.kind == .anonymous)
        #expect(identity.displayName == name)
        #expect(identity.expiry == world.clock.now + .seconds(3600))
    }

    @Test("keeps the id by the refresh token, over years and a restart")
    func refresh() async throws {
        let world = try World()
        var signIn = try await world.accounts.signInAnonymously(from: world.home)
        let user = signIn.identity.user
        for _ in 0..<20 {
            world.clock.advance(by: .seconds(50 * 86_400))
            signIn = try await world.accounts.refresh(signIn.refresh.text, from: world.home)
            #expect(signIn.identity.user == user)
        }
        let restarted = try World(store: world.store)
        restarted.clock.advance(by: .seconds(20 * 50 * 86_400))
        #expect(try restarted.accounts.identity(ofToken: signIn.access.text).user == user)
        #expect(try await restarted.accounts.refresh(signIn.refresh.text, from: world.home).identity.user == user)
    }

    @Test("is slowed when one client prefix makes accounts by the dozen, and others are not")
    func flood() async throws {
        let world = try World()
        for _ in 0..<30 { _ = try await world.accounts.signInAnonymously(from: world.home) }
        let refusal = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.signInAnonymously(from: world.home)
        }
        #expect(refusal == .tooManyAttempts(retryAfter: .seconds(1)))
        _ = try await world.accounts.signInAnonymously(from: .v4(0xC000_0202))
        world.clock.advance(by: .seconds(1))
        _ = try await world.accounts.signInAnonymously(from: world.home)
    }
}

@Suite("A member")
struct MemberTests {
    @Test(
        "M6 is told each mistake by name",
        arguments: [
            ("", "x", IdentityRefusal.nameEmpty), ("ab", "x", .nameInvalid(.tooShort)),
            ("_abc", "x", .nameInvalid(.underscoreAtEdge)), ("abc_", "x", .nameInvalid(.underscoreAtEdge)),
            ("a.bc", "x", .nameInvalid(.forbiddenCharacter)), ("1234567890123456", "x", .nameInvalid(.tooLong)),
            ("alice", "", .passwordEmpty), ("alice", "long a\0b", .passwordInvalid),
            ("alice", "long a\nb", .passwordInvalid),
            ("alice", String(repeating: "x", count: 1025), .passwordTooLong), ("alice", "7 chars", .passwordTooShort),
            ("alice", "Password1", .passwordFrequent), ("password", "PASSWORD", .passwordFrequent),
            ("alice_bob", "alice_bob", .passwordFrequent),
        ])
    func mistakes(name: String, password: String, refusal: IdentityRefusal) async throws {
        let world = try World()
        await #expect(throws: refusal) { try await world.register(name, password) }
    }

    @Test("cannot take a name that is taken, in whatever case")
    func duplicate() async throws {
        let world = try World()
        _ = try await world.register("Alice")
        await #expect(throws: IdentityRefusal.nameTaken) { try await world.register("Alice") }
        await #expect(throws: IdentityRefusal.nameTaken) { try await world.register("aLICE") }
    }

    @Test("may be asked for a longer password")
    func shortPassword() async throws {
        var settings = World.settings
        settings.minimumPasswordLength = 12
        let world = try World(settings)
        await #expect(throws: IdentityRefusal.passwordTooShort) { try await world.register("alice", "eleven char") }
        _ = try await world.register("alice", "twelve chars")
    }

    @Test("logs in again and again; every token stays good, also over a restart")
    func logIn() async throws {
        let world = try World()
        let registered = try await world.register("alice", "爱 password")
        let first = try await world.logIn("alice", "爱 password")
        let second = try await world.logIn("alice", "爱 password")
        #expect(Set([registered, first, second].map(\.identity.user)).count == 1)
        #expect(Set([registered, first, second].map(\.access.text)).count == 3)
        let restarted = try World(store: world.store)
        for signIn in [registered, first, second] {
            let identity = try restarted.accounts.identity(ofToken: signIn.access.text)
            #expect(identity.kind == .member)
            #expect(identity.displayName?.text == "alice")
        }
        _ = try await restarted.logIn("alice", "爱 password")
    }

    @Test("is not told whether the name or the password was wrong")
    func wrongCredentials() async throws {
        let world = try World()
        _ = try await world.register()
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("alice", "pass words") }
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("nobody", "pass word") }
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("Alice", "pass word") }
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("no such name!", "x") }
        await #expect(throws: IdentityRefusal.nameEmpty) { try await world.logIn("", "x") }
        await #expect(throws: IdentityRefusal.passwordEmpty) { try await world.logIn("alice", "") }
    }

    @Test("has the password hashed anew when it has become too cheap")
    func renewal() async throws {
        let world = try World()
        _ = try await world.register()
        let before = try await self.storedHash(world)
        var settings = World.settings
        settings.passwordCost = try #require(.init(logarithm: 3, blockSize: 1, parallelism: 1))
        let dearer = try World(settings, store: world.store)
        _ = try await dearer.logIn()
        let after = try await self.storedHash(world)
        #expect(before != after && after.contains("ln=3"))
        _ = try await dearer.logIn()
        #expect(try await self.storedHash(world) == after)
    }

    private func storedHash(_ world: World) async throws -> String {
        let name = try UserName("alice")
        let user = try await world.store.ask(FindUser.name(name))
        return try #require(user?.passwordHash)
    }

    @Test("is found by others with what they may know")
    func profiles() async throws {
        let world = try World()
        let avatar = try #require(AvatarLink("images/a.png"))
        let form = Registration(name: "alice", password: "pass word", avatar: avatar)
        let alice = try await world.accounts.register(form, from: world.home).identity.user
        let guest = try await world.accounts.signInAnonymously(from: world.home).identity.user
        let found = try #require(try await world.accounts.profile(of: alice))
        #expect(found.shownName?.text == "alice" && found.displayName == nil && found.avatar == avatar)
        #expect(try await world.accounts.profile(of: guest)?.shownName == nil)
        #expect(try await world.accounts.members(after: nil, limit: 10) == [found])
    }
}

@Suite("A refresh token")
struct RefreshTests {
    @Test("is good once; used again it ends the family for thief and owner")
    func reuse() async throws {
        let world = try World()
        let first = try await world.register()
        let second = try await world.accounts.refresh(first.refresh.text, from: world.home)
        let third = try await world.accounts.refresh(second.refresh.text, from: world.home)
        await #expect(throws: IdentityRefusal.refreshReused) {
            try await world.accounts.refresh(first.refresh.text, from: world.home)
        }
        await #expect(throws: IdentityRefusal.refreshUnknown) {
            try await world.accounts.refresh(third.refresh.text, from: world.home)
        }
        _ = try await world.logIn()
    }

    @Test("whose answer was lost may be shown again")
    func lostAnswer() async throws {
        let world = try World()
        let first = try await world.register()
        _ = try await world.accounts.refresh(first.refresh.text, from: world.home)
        world.clock.advance(by: .seconds(86_400))
        let again = try await world.accounts.refresh(first.refresh.text, from: world.home)
        let third = try await world.accounts.refresh(again.refresh.text, from: world.home)
        #expect([again, third].map(\.identity.user) == [first.identity.user, first.identity.user])
    }

    @Test("ends with its time, or by signing out")
    func ends() async throws {
        let world = try World()
        let first = try await world.register()
        let second = try await world.logIn()
        for _ in 0..<2 { try await world.accounts.signOut(first.refresh.text) }
        try await world.accounts.signOut("nonsense")
        await #expect(throws: IdentityRefusal.refreshUnknown) {
            try await world.accounts.refresh(first.refresh.text, from: world.home)
        }
        world.clock.advance(by: .seconds(60 * 86_400))
        await #expect(throws: IdentityRefusal.refreshExpired) {
            try await world.accounts.refresh(second.refresh.text, from: world.home)
        }
    }

    @Test(
        "that is none is refused",
        arguments: ["", "x", String(repeating: "A", count: 40), String(repeating: "é", count: 20)])
    func nonsense(text: String) async throws {
        let world = try World()
        await #expect(throws: IdentityRefusal.refreshUnknown) {
            try await world.accounts.refresh(text, from: world.home)
        }
    }
}

@Suite("A long-lived token")
struct LegacyTokenTests {
    @Test("is a UUID, the same at every login, and good for two months")
    func unchanged() async throws {
        let world = try World()
        let registered = try #require(try await world.register().longLived)
        #expect(
            registered.text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
        )
        #expect(registered.expiry == world.clock.now + .seconds(60 * 86_400))
        world.clock.advance(by: .seconds(59 * 86_400))
        #expect(try await world.logIn().longLived == registered)
        let restarted = try World(store: world.store)
        #expect(try await restarted.logIn().longLived == registered)
        let identity = try await restarted.accounts.identity(ofLegacyToken: registered.text)
        #expect(identity.displayName?.text == "alice")
        #expect(identity.expiry == registered.expiry)
    }

    @Test("is followed by another one when it has ended")
    func renewed() async throws {
        let world = try World()
        let first = try #require(try await world.register().longLived)
        world.clock.advance(by: .seconds(60 * 86_400))
        await #expect(throws: IdentityRefusal.token(.badSignature)) {
            try await world.accounts.identity(ofLegacyToken: first.text)
        }
        let second = try #require(try await world.logIn().longLived)
        #expect(second.text != first.text)
        #expect(second.expiry == world.clock.now + .seconds(60 * 86_400))
        _ = try await world.accounts.identity(ofLegacyToken: second.text)
    }

    @Test("ends when it is called back, alone or with all others, and the next login brings another")
    func revoked() async throws {
        let world = try World()
        let first = try #require(try await world.register().longLived)
        let identity = try await world.accounts.identity(ofLegacyToken: first.text)
        try await world.accounts.revoke(identity)
        let second = try #require(try await world.logIn().longLived)
        _ = try await world.accounts.identity(ofLegacyToken: second.text)
        try await world.accounts.revokeAll(of: identity.user)
        let third = try #require(try await world.logIn().longLived)
        let last = try await world.accounts.identity(ofLegacyToken: third.text)
        try world.accounts.check(last)
        for ended in [first, second] {
            await #expect(throws: IdentityRefusal.token(.badSignature)) {
                try await world.accounts.identity(ofLegacyToken: ended.text)
            }
        }
        #expect(throws: IdentityRefusal.revoked) { try world.accounts.check(identity) }
    }

    @Test("is another one under another server secret")
    func otherSecret() async throws {
        let world = try World()
        let first = try #require(try await world.register().longLived)
        let moved = try World(store: world.store, secret: World.applicationSecret)
        let second = try #require(try await moved.logIn().longLived)
        #expect(first.text != second.text)
        _ = try await moved.accounts.identity(ofLegacyToken: second.text)
    }

    @Test("that is none is refused", arguments: ["", "null", "undefined", "00000000-0000-4000-8000-000000000000"])
    func nonsense(text: String) async throws {
        let world = try World()
        await #expect(throws: IdentityRefusal.self) { try await world.accounts.identity(ofLegacyToken: text) }
    }
}
