import Testing

@testable import Reactor

@Suite("A pause for datagrams to gather")
struct GatheringPauseTests {
    private static let microsecond: UInt64 = 1000
    private var pause = GatheringPause()
    private var now = UInt64(1_000_000_000)

    /// How many of so many turns, all so far from each other, are followed by a pause.
    private mutating func pauses(_ turns: Int, every gap: UInt64) -> Int {
        var count = 0
        for _ in 0..<turns {
            self.now += gap * Self.microsecond
            self.pause.request()
            guard self.pause.isDue(at: self.now) else { continue }
            self.now += 900 * Self.microsecond
            self.pause.paused(until: self.now)
            count += 1
        }
        return count
    }

    private mutating func expect(_ expected: Int, of turns: Int, every gap: UInt64) {
        let count = self.pauses(turns, every: gap)
        #expect(count == expected)
    }

    @Test("is taken when many turns come close behind each other, and not before")
    mutating func many() {
        self.expect(0, of: 16, every: 400)
        self.expect(100, of: 100, every: 400)
    }

    @Test("does not hold up handshakes, whose few flights wait for each other")
    mutating func handshakes() {
        for _ in 0..<100 {
            self.expect(0, of: 6, every: 200)
            self.expect(0, of: 1, every: 3000)
        }
    }

    @Test("goes on when a turn comes late now and then, and ends with the rate")
    mutating func late() {
        _ = self.pauses(32, every: 400)
        for _ in 0..<10 {
            self.expect(0, of: 1, every: 1500)
            self.expect(19, of: 19, every: 400)
        }
        self.expect(0, of: 100, every: 2000)
        self.expect(0, of: 15, every: 400)
    }

    @Test("is not taken without a request")
    mutating func unrequested() {
        _ = self.pauses(100, every: 400)
        let isDue = self.pause.isDue(at: self.now + 400 * Self.microsecond)
        #expect(!isDue)
    }
}
