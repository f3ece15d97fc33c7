import Identity
import TestSupport
import Testing
import Vocabulary

@Suite("Guessing")
struct AttemptTests {
    @Test("a password is slowed for the account, wherever the guesses come from, and waiting helps")
    func account() async throws {
        let world = try World()
        _ = try await world.register()
        for guess in 0..<5 {
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(name: "alice", password: "\(guess)", from: .v4(UInt32(guess)))
            }
        }
        for delay: Int64 in [1, 2, 4, 8, 16, 32, 60, 60] {
            await #expect(throws: IdentityRefusal.tooManyAttempts(retryAfter: .seconds(delay))) {
                try await world.accounts.logIn(name: "ALICE", password: "guess", from: .v4(UInt32(delay + 100)))
            }
            world.clock.advance(by: .seconds(delay))
            await #expect(throws: IdentityRefusal.wrongCredentials) {
                try await world.accounts.logIn(name: "alice", password: "guess", from: .v4(UInt32(delay + 100)))
            }
        }
        world.clock.advance(by: .seconds(60))
        _ = try await world.logIn()
        await #expect(throws: IdentityRefusal.wrongCredentials) { try await world.logIn("alice", "again") }
    }

    @Test("over many accounts is slowed for the household, IPv6 by its /64")
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
                        try await world.accounts.logIn(name: "alice", password: "\(guess)", from: .v4(UInt32(guess)))
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

@Suite("A limiter of attempts")
struct AttemptLimiterTests {
    private static let policy = AttemptLimiter<Int>.Policy(
        free: 2, firstDelay: .seconds(1), longestDelay: .seconds(8), forgetsAfter: .seconds(100), capacity: 10)

    private func at(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1000) }

    @Test("lets some through, then doubles the wait up to its longest; refusals do not make it longer")
    func delays() throws {
        var limiter = AttemptLimiter<Int>(Self.policy)
        var now: Int64 = 0
        for _ in 0..<2 { try limiter.began(1, at: self.at(now)) }
        for delay: Int64 in [1, 2, 4, 8, 8, 8] {
            for _ in 0..<5 {
                #expect(throws: AttemptLimiter<Int>.Refusal(retryAfter: .seconds(delay))) {
                    try limiter.began(1, at: self.at(now))
                }
            }
            now += delay
            try limiter.began(1, at: self.at(now))
        }
        try limiter.began(2, at: self.at(now))
    }

    @Test("forgets whoever is quiet for long, or has shown who they are")
    func forgets() throws {
        var limiter = AttemptLimiter<Int>(Self.policy)
        for _ in 0..<2 { try limiter.began(1, at: self.at(0)) }
        #expect(throws: AttemptLimiter<Int>.Refusal.self) { try limiter.began(1, at: self.at(0)) }
        for _ in 0..<2 { try limiter.began(1, at: self.at(100)) }
        limiter.forgave(1)
        #expect(limiter.rememberedKeys == 0)
        for _ in 0..<2 { try limiter.began(1, at: self.at(100)) }
        limiter.tookBack(1)
        try limiter.began(1, at: self.at(100))
        #expect(throws: AttemptLimiter<Int>.Refusal.self) { try limiter.began(1, at: self.at(100)) }
    }

    @Test("survives clocks at the ends of time")
    func extremes() throws {
        var limiter = AttemptLimiter<Int>(Self.policy)
        for time in [Instant(nanoseconds: .max), Instant(nanoseconds: .min), Instant(nanoseconds: .max)] {
            for _ in 0..<3 { try? limiter.began(1, at: time) }
        }
    }

    @Test("never remembers more than it may, and keeps those who try on", arguments: 0..<4 as Range<UInt64>)
    func bounded(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var limiter = AttemptLimiter<Int>(Self.policy)
        var passed = 0
        for step in 0..<5000 {
            try? limiter.began(Int.random(in: 1...10_000, using: &random), at: self.at(0))
            if step.isMultiple(of: 3), (try? limiter.began(0, at: self.at(0))) != nil { passed += 1 }
            #expect(limiter.rememberedKeys <= 12, "seed \(seed), step \(step)")
        }
        #expect(passed == 2, "seed \(seed)")
    }
}
