import Pacing
import TestSupport
import Testing
import Vocabulary

@Suite("A limiter of attempts")
struct AttemptLimiterTests {
    private static let policy = AttemptLimiter<Int>.Policy(
        free: 2, firstDelay: .seconds(1), maximumDelay: .seconds(8), forgetsAfter: .seconds(100), capacity: 10)

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
        limiter.reset(1)
        #expect(limiter.rememberedKeys == 0)
        for _ in 0..<2 { try limiter.began(1, at: self.at(100)) }
        limiter.cancelled(1)
        try limiter.began(1, at: self.at(100))
        #expect(throws: AttemptLimiter<Int>.Refusal.self) { try limiter.began(1, at: self.at(100)) }
    }

    @Test("survives clocks at the ends of time")
    func extremes() throws {
        var limiter = AttemptLimiter<Int>(Self.policy)
        for time in [Instant(nanoseconds: .max), Instant(nanoseconds: .min), Instant(nanoseconds: .max)] {
            for _ in 0..<3 { try? limiter.began(1, at: time) }
        }
        #expect(limiter.rememberedKeys == 1)
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
