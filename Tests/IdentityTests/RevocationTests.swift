import Identity
import System
import Reactor
import Secure
import Keeping
import MemoryStore
import Testing
import Vocabulary

@Suite("What was given can be called back")
struct RevocationTests {
    @Test("one token, and only that one; whoever listens hears of it before the call returns")
    func token() async throws {
        let world = try World()
        let first = try await world.register()
        let second = try await world.logIn()
        try await world.accounts.revoke(first.identity)
        #expect(world.refusal(ofToken: first.access.text) == .revoked)
        #expect(world.refusal(ofToken: second.access.text) == nil)
        #expect(world.changes.withLock { $0 } == [.tokenRevoked(tokenID: first.identity.tokenID)])
        #expect(try World(store: world.store).refusal(ofToken: first.access.text) == .revoked)
    }

    @Test("everything a user holds, and a login in the same second is good again")
    func user() async throws {
        let world = try World()
        let first = try await world.register()
        let other = try await world.register("bobby")
        try await world.accounts.revokeAll(of: first.identity.user)
        let next = try await world.logIn()
        #expect(world.refusal(ofToken: first.access.text) == .revoked)
        #expect(world.refusal(ofToken: next.access.text) == nil)
        #expect(world.refusal(ofToken: other.access.text) == nil)
        await #expect(throws: IdentityRefusal.refreshUnknown) {
            try await world.accounts.refresh(first.refresh.text, from: world.home)
        }
        let restarted = try World(store: world.store)
        #expect(restarted.refusal(ofToken: first.access.text) == .revoked)
        #expect(restarted.refusal(ofToken: next.access.text) == nil)
        #expect(world.changes.withLock { $0.first } == .userRevoked(first.identity.user, upTo: world.clock.now))
    }

    @Test("and whoever slips in on the long-lived token before it is replaced goes with it")
    func slippedIn() async throws {
        let world = try World()
        let member = try await world.register()
        let text = try #require(member.longLived).text
        let visitor = Locked<Identity?>(nil)
        let loops = try EventLoopGroup(count: 1)
        defer { loops.shutDown() }
        world.accounts.observe { [unowned accounts = world.accounts, loop = loops.loops[0]] change in
            guard case .userRevoked = change else { return }
            let answered = Gate()
            loop.execute { reactor in
                reactor.perform({ try? await accounts.identity(ofLegacyToken: text) }) { identity in
                    visitor.withLock { $0 = identity }
                    answered.open()
                }
            }
            answered.wait()
        }
        try await world.accounts.revokeAll(of: member.identity.user)
        let slipped = try #require(visitor.withLock { $0 })
        #expect(throws: IdentityRefusal.revoked) { try world.accounts.check(slipped) }
        #expect(world.changes.withLock { $0.last } == .tokenRevoked(tokenID: slipped.tokenID))
        let next = try await world.logIn()
        let fresh = try #require(next.longLived).text
        #expect(fresh != text)
        _ = try await world.accounts.identity(ofLegacyToken: fresh)
    }

    @Test("a ban keeps out every token and every way in until it is over or taken back")
    func ban() async throws {
        let world = try World()
        let member = try await world.register()
        let user = member.identity.user
        let end = world.clock.now + .seconds(600)
        try await world.accounts.ban(user, until: end)
        let banned = IdentityRefusal.banned(until: end)
        #expect(world.refusal(ofToken: member.access.text) == banned)
        #expect(throws: banned) { try world.accounts.check(member.identity) }
        await #expect(throws: banned) { try await world.logIn() }
        let legacy = try #require(member.longLived)
        await #expect(throws: banned) { try await world.accounts.identity(ofLegacyToken: legacy.text) }
        #expect(try World(store: world.store).refusal(ofToken: member.access.text) == banned)
        world.clock.advance(by: .seconds(600))
        #expect(world.refusal(ofToken: member.access.text) == nil)
        try await world.accounts.ban(user, until: world.clock.now + .seconds(600))
        try await world.accounts.unban(user)
        _ = try await world.logIn()
        #expect(world.changes.withLock { $0.last } == .unbanned(user))
        #expect(try World(store: world.store).accounts.identity(ofToken: member.access.text) == member.identity)
    }

    @Test("a refresh token is no way around a ban")
    func refreshUnderBan() async throws {
        let world = try World()
        let member = try await world.register()
        try await world.accounts.ban(member.identity.user, until: world.clock.now + .seconds(600))
        await #expect(throws: IdentityRefusal.banned(until: world.clock.now + .seconds(600))) {
            try await world.accounts.refresh(member.refresh.text, from: world.home)
        }
    }

    @Test("an access token ends by itself, to the millisecond")
    func expiry() async throws {
        let world = try World()
        let member = try await world.register()
        world.clock.advance(by: .milliseconds(3_599_999))
        #expect(world.refusal(ofToken: member.access.text) == nil)
        world.clock.advance(by: .milliseconds(1))
        #expect(world.refusal(ofToken: member.access.text) == .token(.expired))
        #expect(throws: IdentityRefusal.token(.expired)) { try world.accounts.check(member.identity) }
    }

    @Test("is forgotten when it no longer matters")
    func sweep() async throws {
        let world = try World()
        let member = try await world.register()
        try await world.accounts.revoke(member.identity)
        try await world.accounts.revokeAll(of: member.identity.user)
        try await world.accounts.sweep()
        #expect(world.refusal(ofToken: member.access.text) == .revoked)
        world.clock.advance(by: .seconds(3 * 86_400))
        try await world.accounts.sweep()
        let recall = RecallRestrictions(at: world.clock.now, tokensSince: world.clock.now)
        let left = try await world.store.ask(recall)
        #expect(left.0 == [] && left.1 == [])
    }

    @Test("remembers no more than it must")
    func memory() throws {
        var revocations = Revocations()
        let user = try #require(UserID("alice"))
        let now = WallTime(seconds: 1000)
        revocations.revokedToken("t", until: now + .seconds(10))
        revocations.revokedUser(user, upTo: now)
        revocations.banned(user, until: now + .seconds(20))
        for (second, count): (Int64, Int) in [(0, 3), (9, 3), (10, 2), (20, 1), (30, 1), (31, 0)] {
            let time = now + .seconds(second)
            revocations.forget(at: time, tokensSince: time + .seconds(-30))
            #expect(revocations.count == count, "after \(second) s")
        }
    }

    @Test("is answered as unavailable when it could not be written down, and holds all the same")
    func brokenStore() async throws {
        let world = try World()
        let member = try await world.register()
        world.store.close()
        await #expect(throws: IdentityRefusal.unavailable) { try await world.accounts.revoke(member.identity) }
        #expect(world.refusal(ofToken: member.access.text) == .revoked)
        await #expect(throws: IdentityRefusal.unavailable) { try await world.logIn() }
    }
}

@Suite("An application")
struct ApplicationTests {
    private let user = UserID("u:42@example")

    @Test("gets a token for its user with name and picture, and others can look them up")
    func issues() async throws {
        let world = try World()
        let user = try #require(self.user)
        let name = try #require(DisplayName("Zoë"))
        let avatar = try #require(AvatarLink("https://example.net/z.png"))
        for _ in 0..<2 {
            let (identity, token) = try await world.accounts.issueToken(
                for: user, displayName: name, avatar: avatar, application: "app", secret: World.applicationSecret,
                from: world.home)
            #expect(try world.accounts.identity(ofToken: token.text) == identity)
            #expect(identity.kind == .application && identity.displayName == name && identity.avatar == avatar)
        }
        #expect(try await world.accounts.profile(of: user)?.displayName == name)
    }

    @Test(
        "with a wrong name or secret gets nothing",
        arguments: [
            ("app", ""), ("app", World.secret), ("", World.applicationSecret), ("pair", ""),
            ("App", World.applicationSecret),
        ])
    func wrongSecret(id: String, secret: String) async throws {
        let world = try World()
        let user = try #require(self.user)
        let refusal = await world.refusal { () async throws(IdentityRefusal) in
            try await world.accounts.issueToken(
                for: user, displayName: nil, avatar: nil, application: id, secret: secret, from: world.home)
        }
        #expect(refusal == .wrongApplication)
    }

    private func claims(_ world: World, subject: String = "u1") -> TokenClaims {
        TokenClaims(
            issuer: "anybody", subject: subject, audience: ["parley"], expiry: world.clock.now.seconds + 60,
            issuedAt: world.clock.now.seconds, texts: ["name": "Ann", "kind": "member", "picture": "javascript:x"])
    }

    @Test("may sign tokens itself, with a shared secret or a key pair")
    func signs() async throws {
        let world = try World()
        let shared = try SigningKey(id: "app", sharedSecret: Array(World.applicationSecret.utf8))
        let pair = SigningKey(id: "pair", try Ed25519Key(seed: [UInt8](0..<32)))
        for key in [shared, pair] {
            let token = try JSONWebToken.sign(self.claims(world), type: "JWT", with: key)
            let identity = try world.accounts.identity(ofToken: token)
            #expect(identity.user.text == "u1")
            #expect(identity.kind == .application)
            #expect(identity.displayName?.text == "Ann")
            #expect(identity.avatar == nil)
            try await world.accounts.revoke(identity)
            #expect(world.refusal(ofToken: token) == .revoked)
        }
    }

    @Test("cannot sign in our name, nor be confused with us")
    func confusion() throws {
        let world = try World()
        let secret = Array(World.applicationSecret.utf8)
        let asUs = try SigningKey(id: "parley-access", sharedSecret: secret)
        let forged = try JSONWebToken.sign(self.claims(world), type: "at+jwt", with: asUs)
        #expect(world.refusal(ofToken: forged) == .token(.badSignature))
        let wrongType = try JSONWebToken.sign(
            self.claims(world), type: "at+jwt", with: try SigningKey(id: "app", sharedSecret: secret))
        #expect(world.refusal(ofToken: wrongType) == .token(.wrongType))
        let noUser = try JSONWebToken.sign(
            self.claims(world, subject: "no such id!"), type: "JWT",
            with: try SigningKey(id: "app", sharedSecret: secret))
        #expect(world.refusal(ofToken: noUser) == .token(.missingClaim))
    }

    @Test("is not taken with a weak secret")
    func weak() {
        #expect(throws: SecretWeakness.tooShort(bytes: 6)) { try Application(id: "app", secret: "secret") }
    }
}
