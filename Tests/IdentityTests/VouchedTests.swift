import Identity
import Keeping
import Secure
import TestSupport
import Testing
import Vocabulary

@Suite("A token for a user whom a door's program vouches for")
struct VouchedTests {
    private static let user = UserID("Alice_1") ?? { preconditionFailure("no user id") }()

    private func world(accepts: Bool = true) throws -> World {
        var settings = World.settings
        settings.acceptsVouched = accepts
        settings.vouchedLife = .seconds(3650 * 86_400)
        return try World(settings)
    }

    @Test("A08.mint counts for years, however often there is another, and fits into 256 bytes")
    func life() async throws {
        let world = try self.world()
        let first = try await world.accounts.vouch(for: Self.user, displayName: DisplayName("Alice"), avatar: nil)
        world.clock.advance(by: .seconds(60))
        let second = try await world.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
        #expect(first.text != second.text && first.text.utf8.count <= 256)
        world.clock.advance(by: .seconds(3000 * 86_400))
        for token in [first, second] {
            let identity = try world.accounts.identity(ofToken: token.text)
            #expect(identity.user == Self.user && identity.kind == .application)
        }
        #expect(try await world.accounts.profile(of: Self.user)?.displayName?.text == "Alice")
    }

    @Test("A08.secret is called back with all others of its user, also after years, and a new one counts")
    func revoked() async throws {
        let world = try self.world()
        let token = try await world.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
        try await world.accounts.revokeAll(of: Self.user)
        #expect(world.refusal(ofToken: token.text) == .revoked)
        let next = try await world.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
        #expect(world.refusal(ofToken: next.text) == nil)
        world.clock.advance(by: .seconds(1000 * 86_400))
        try await world.accounts.sweep()
        #expect(world.refusal(ofToken: token.text) == .revoked)
    }

    @Test("A08.secret does not count where no door hands such tokens out, or users of programs may not come in")
    func closed() async throws {
        let open = try self.world()
        let token = try await open.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
        #expect(try self.world(accepts: false).refusal(ofToken: token.text) == .token(.unknownKey))
        var settings = World.settings
        settings.acceptsVouched = true
        settings.vouchedLife = .seconds(3650 * 86_400)
        settings.signIn = [.anonymous]
        let shut = try World(settings)
        #expect(shut.refusal(ofToken: token.text) == .closed)
        #expect(
            await shut.refusal { () async throws(IdentityRefusal) in
                try await shut.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
            } == .closed)
    }

    @Test("A08.expire calls back what was given up to a time, and nothing that came later")
    func issuedUpTo() async throws {
        let world = try self.world()
        let first = try await world.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
        world.clock.advance(by: .seconds(100))
        let second = try await world.accounts.vouch(for: Self.user, displayName: nil, avatar: nil)
        let between = world.clock.now + .seconds(-50)
        try await world.accounts.revokeAll(of: Self.user, issuedUpTo: between)
        #expect(world.refusal(ofToken: first.text) == .revoked && world.refusal(ofToken: second.text) == nil)
        // An earlier time takes nothing of it back.
        try await world.accounts.revokeAll(of: Self.user, issuedUpTo: between + .seconds(-1000))
        #expect(world.refusal(ofToken: first.text) == .revoked)
        try await world.accounts.revokeAll(of: Self.user, issuedUpTo: world.clock.now + .seconds(1))
        #expect(world.refusal(ofToken: second.text) == .revoked)
    }

    @Test("A08.block lists who may not come in, for as long as that is so")
    func bans() async throws {
        let world = try self.world()
        try await world.accounts.ban(Self.user, until: world.clock.now + .seconds(60))
        #expect(world.accounts.bans.map(\.user) == [Self.user])
        world.clock.advance(by: .seconds(60))
        #expect(world.accounts.bans == [])
    }
}
