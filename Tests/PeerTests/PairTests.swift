import Peer
import Reactor
import TestSupport
import Testing
import Vocabulary

@Suite("Two connections of one program")
struct PairTests {
    /// The figures are for `docs/benchmarks.md`, from a build that is optimised; here they show that nothing waits for a
    /// timer. `PARLEY_LONG_TESTS=1` takes two hundred.
    @Test("J01 find each other at once")
    func setUp() async throws {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        let count = LongTests.seeds(20, long: 200).count
        let found: [Duration]? = await withCheckedContinuation { continuation in
            group.loops[0].execute { reactor in
                do {
                    try Pairs(count, on: reactor) { continuation.resume(returning: $0) }.begin()
                } catch {
                    continuation.resume(returning: nil)
                }
            }
        }
        let times = try #require(found).map { $0 / .milliseconds(1) }.sorted()
        let (p50, p95) = (times[times.count / 2], times[times.count * 95 / 100])
        print("\(times.count) pairs on one loop: p50 \(p50) ms, p95 \(p95) ms")
        #expect(p50 < 250)
    }
}
