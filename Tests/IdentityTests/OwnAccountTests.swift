import Identity
import Keeping
import Secure
import System
import Testing
import Vocabulary

@Suite("A user's own account")
struct OwnAccountTests {
    private static func expectEnded(_ signIn: SignIn, in world: World) async {
        #expect(world.refusal(ofToken: signIn.access.text) == .revoked)
        let refusal = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.refresh(signIn.refresh.text, from: world.home)
        }
        #expect(refusal == .refreshUnknown)
    }

    @Test("M5 signed out is signed out at once: the access token ends as well, and other devices stay")
    func signOut() async throws {
        let world = try World()
        let first = try await world.register()
        let second = try await world.logIn()
        let refreshed = try await world.accounts.refresh(first.refresh.text, from: world.home)
        try await world.accounts.signOut(refreshed.refresh.text)
        await Self.expectEnded(refreshed, in: world)
        #expect(world.refusal(ofToken: first.access.text) == .revoked)
        #expect(try world.accounts.identity(ofToken: second.access.text).user == first.identity.user)
        let family = try #require(first.identity.family)
        #expect(world.changes.withLock(\.self).contains(.familyEnded(family)))
        // Also after a restart.
        let restarted = try World(store: world.store)
        #expect(restarted.refusal(ofToken: refreshed.access.text) == .revoked)
    }

    @Test("L9 is not signed out by half of a refresh token")
    func half() async throws {
        let world = try World()
        let signIn = try await world.register()
        let forged = signIn.refresh.text.prefix(20) + String(repeating: "A", count: 20)
        try await world.accounts.signOut(String(forged))
        _ = try await world.accounts.refresh(signIn.refresh.text, from: world.home)
    }

    @Test("M5 a refresh token that was stolen ends the access tokens of its family")
    func theft() async throws {
        let world = try World()
        let first = try await world.register()
        let second = try await world.accounts.refresh(first.refresh.text, from: world.home)
        let third = try await world.accounts.refresh(second.refresh.text, from: world.home)
        await #expect(throws: IdentityRefusal.refreshReused) {
            try await world.accounts.refresh(first.refresh.text, from: world.home)
        }
        #expect(world.refusal(ofToken: third.access.text) == .revoked)
    }

    @Test("M5 gets another password from the old one, and everything from before ends")
    func password() async throws {
        let world = try World()
        let first = try await world.register()
        let longLived = try #require(first.longLived)
        let wrong = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.changePassword(
                of: first.identity, from: "not it at all", to: "another one", by: world.home)
        }
        #expect(wrong == .wrongCredentials)
        let short = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.changePassword(of: first.identity, from: "pass word", to: "short", by: world.home)
        }
        #expect(short == .passwordTooShort)
        let changed = try await world.accounts.changePassword(
            of: first.identity, from: "pass word", to: "another one", by: world.home)
        await Self.expectEnded(first, in: world)
        #expect(try world.accounts.identity(ofToken: changed.access.text).user == first.identity.user)
        let old = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.identity(ofLegacyToken: longLived.text)
        }
        #expect(old != nil)
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn() }
        _ = try await world.logIn("alice", "another one")
    }

    @Test("M5 shows its devices, and signs one of them out; nobody signs out another user's")
    func devices() async throws {
        let world = try World()
        let first = try await world.register()
        world.clock.advance(by: .seconds(10))
        let second = try await world.logIn()
        let user = first.identity.user
        let devices = try await world.accounts.devices(of: user)
        #expect(devices.map(\.family) == [second.identity.family, first.identity.family])
        #expect(devices.map(\.lastUsed) == [world.clock.now, world.clock.now + .seconds(-10)])
        let family = try #require(first.identity.family)
        let stranger = try await world.accounts.signInAnonymously(from: world.home)
        #expect(try await world.accounts.signOut(family, of: stranger.identity.user) == false)
        #expect(try await world.accounts.signOut(family, of: user))
        await Self.expectEnded(first, in: world)
        #expect(try await world.accounts.devices(of: user).map(\.family) == [second.identity.family])
    }

    @Test("M1 is not made in a way that the operator has closed")
    func closed() async throws {
        var settings = World.settings
        settings.signIn = .register
        let world = try World(settings)
        let refusal = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.signInAnonymously(from: world.home)
        }
        #expect(refusal == .closed)
        _ = try await world.register()
        settings.signIn = .none
        let shut = try World(settings, store: world.store)
        await #expect(throws: IdentityRefusal.closed) { try await shut.register("another") }
        _ = try await shut.logIn()
    }

    private static func deletion(of signIn: SignIn, _ password: String, in world: World) async -> IdentityRefusal? {
        await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.deleteAccount(of: signIn.identity, password: password, by: world.home)
        }
    }

    @Test("A16.sessions goes with its password, and with it every way in, over a restart")
    func deletion() async throws {
        let world = try World()
        let signIn = try await world.register()
        let longLived = try #require(signIn.longLived)
        #expect(await Self.deletion(of: signIn, "", in: world) == .passwordEmpty)
        #expect(await Self.deletion(of: signIn, "not it at all", in: world) == .wrongCredentials)
        #expect(await Self.deletion(of: signIn, "pass word", in: world) == nil)
        #expect(world.changes.withLock(\.self) == [.deleted(signIn.identity.user)])
        let worlds = [world, try World(store: world.store)]
        for world in worlds {
            #expect(world.refusal(ofToken: signIn.access.text) == .deleted)
            let refreshed = await world.refusal { () async throws(IdentityRefusal) in
                try await world.accounts.refresh(signIn.refresh.text, from: world.home)
            }
            #expect(refreshed == .refreshUnknown)
            let legacy = await world.refusal { () async throws(IdentityRefusal) in
                try await world.accounts.identity(ofLegacyToken: longLived.text)
            }
            #expect(legacy == .token(.badSignature))
            await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn() }
            await #expect(throws: IdentityRefusal.nameTaken) { try await world.register("ALICE") }
        }
    }

    @Test("A16.sessions goes without a password for a token that was issued just now")
    func freshness() async throws {
        let world = try World()
        let signIn = try await world.accounts.signInAnonymously(from: world.home)
        world.clock.advance(by: .seconds(301))
        #expect(await Self.deletion(of: signIn, "", in: world) == .stale)
        let fresh = try await world.accounts.refresh(signIn.refresh.text, from: world.home)
        #expect(await Self.deletion(of: fresh, "", in: world) == nil)
        #expect(await Self.deletion(of: fresh, "", in: world) == nil, "twice is once")
    }
}
