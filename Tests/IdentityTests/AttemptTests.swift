import Identity
import TestSupport
import Testing
import Vocabulary

@Suite("Guessing")
struct AttemptTests {
    @Test("a password is slowed for the account and who guesses, and waiting helps")
    func account() async throws {
        let world = try World()
        _ = try await world.register()
        for guess in 0..<5 {
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(name: "alice", password: "\(guess)", from: .v4(1))
            }
        }
        for delay: Int64 in [1, 2, 4, 8, 16, 32, 60, 60] {
            await #expect(throws: IdentityRefusal.tooManyAttempts(retryAfter: .seconds(delay))) {
                try await world.accounts.logIn(name: "ALICE", password: "guess", from: .v4(1))
            }
            world.clock.advance(by: .seconds(delay))
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(name: "alice", password: "guess", from: .v4(1))
            }
        }
        world.clock.advance(by: .seconds(60))
        _ = try await world.logIn()
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("alice", "again") }
    }

    @Test("M3 a password from many networks keeps its user out for not a moment")
    func lockout() async throws {
        let world = try World()
        _ = try await world.register()
        for guess in 0..<300 {
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(name: "alice", password: "guess", from: .v4(UInt32(guess + 1000)))
            }
        }
        _ = try await world.logIn()
    }

    @Test("M2 a password from many prefixes of one site is slowed for the site")
    func site() async throws {
        let world = try World()
        _ = try await world.register()
        for prefix: UInt64 in 0..<20 {
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(
                    name: "alice", password: "guess", from: .v6(0x2001_0DB8_0001_0000 + prefix, 1))
            }
        }
        await #expect(throws: IdentityRefusal.tooManyAttempts(retryAfter: .seconds(1))) {
            try await world.accounts.logIn(name: "alice", password: "guess", from: .v6(0x2001_0DB8_0001_00FF, 1))
        }
        await #expect(throws: IdentityRefusal.wrongCredentials) {
            try await world.accounts.logIn(name: "alice", password: "guess", from: .v6(0x2001_0DB8_0002_0000, 1))
        }
    }

    @Test("over many accounts is slowed for the client prefix, IPv6 by its /64")
    func address() async throws {
        let world = try World()
        for guess: UInt64 in 0..<20 {
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(name: "name\(guess)", password: "x", from: .v6(7, guess))
            }
        }
        await #expect(throws: IdentityRefusal.tooManyAttempts(retryAfter: .seconds(1))) {
            try await world.accounts.logIn(name: "fresh", password: "x", from: .v6(7, 99))
        }
        await #expect(throws: IdentityRefusal.wrongCredentials) {
            try await world.accounts.logIn(name: "fresh", password: "x", from: .v6(8, 99))
        }
    }

    @Test("is not washed clean by good logins to an account of one's own")
    func washing() async throws {
        let world = try World()
        _ = try await world.register()
        for guess in 0..<20 {
            await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("name\(guess)", "x") }
            if guess < 19 { _ = try await world.logIn() }
        }
        await #expect(throws: IdentityRefusal.tooManyAttempts(retryAfter: .seconds(1))) { try await world.logIn() }
    }

    @Test("many passwords at once is no way around")
    func parallel() async throws {
        let world = try World()
        _ = try await world.register()
        let refused = await withTaskGroup(of: Bool.self) { tasks in
            for guess in 0..<100 {
                tasks.addTask {
                    let refusal = await world.refusal { () async throws(IdentityRefusal) in
                        try await world.accounts.logIn(name: "alice", password: "\(guess)", from: .v4(1))
                    }
                    return refusal == .tooManyAttempts(retryAfter: .seconds(1))
                }
            }
            return await tasks.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused == 95)
    }

    @Test("an application's secret is slowed as well")
    func applicationSecret() async throws {
        let world = try World()
        let user = try #require(UserID("u"))
        let ask: @Sendable () async -> IdentityRefusal? = {
            await world.refusal { () async throws(IdentityRefusal) in
                try await world.accounts.issueToken(
                    for: user, displayName: nil, avatar: nil, application: "app", secret: "x", from: world.home)
            }
        }
        for _ in 0..<20 { #expect(await ask() == .wrongApplication) }
        #expect(await ask() == .tooManyAttempts(retryAfter: .seconds(1)))
    }
}
