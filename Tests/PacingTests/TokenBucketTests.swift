import Pacing
import TestSupport
import Testing
import Vocabulary

@Suite("A bucket of tokens")
struct TokenBucketTests {
    private let rate = TokenBucket.Rate(perSecond: 100, burst: 400)

    @Test("gives so much at once, and then as much as flows in")
    func burst() {
        var bucket = TokenBucket(self.rate, at: .start)
        #expect((0..<400).allSatisfy { _ in bucket.take(at: .start) == nil })
        #expect(bucket.take(at: .start) == .milliseconds(10))
        let later = Instant.start + .milliseconds(10)
        #expect(bucket.take(at: later) == nil)
        #expect(bucket.take(at: later) != nil)
    }

    @Test("gives several at a time, or none of them")
    func several() {
        var bucket = TokenBucket(self.rate, at: .start)
        #expect(bucket.take(300, at: .start) == nil)
        #expect(bucket.take(101, at: .start) == .milliseconds(10))
        #expect(bucket.take(100, at: .start) == nil)
    }

    @Test("is full after a rest, and never fuller")
    func rest() {
        var bucket = TokenBucket(self.rate, at: .start)
        while bucket.take(at: .start) == nil {}
        let later = Instant.start + .seconds(3600)
        let granted = (0..<1000).count { _ in bucket.take(at: later) == nil }
        #expect(granted == 400)
    }

    @Test("gives nothing for a clock that goes back")
    func backwards() {
        let now = Instant.start + .seconds(10)
        var bucket = TokenBucket(self.rate, at: now)
        while bucket.take(at: now) == nil {}
        #expect(bucket.take(at: .start) != nil)
        #expect(bucket.take(at: now) != nil)
        #expect(bucket.take(at: now + .milliseconds(10)) == nil)
    }

    @Test("grants no more than burst and flow together, whenever it is asked", arguments: 0..<20 as Range<UInt64>)
    func never(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bucket = TokenBucket(self.rate, at: .start)
        var (now, granted) = (Instant.start, 0)
        for _ in 0..<5_000 {
            now = now + .microseconds(Int64.random(in: 0..<20_000, using: &random))
            guard let wait = bucket.take(at: now) else {
                granted += 1
                continue
            }
            #expect(wait > .zero && wait <= .milliseconds(10))
        }
        let seconds = Instant.start.duration(to: now) / .seconds(1)
        #expect(Double(granted) <= 400 + 100 * seconds + 1)
    }
}

extension Instant {
    static let start = Instant(milliseconds: 0)
}
