import Foundation
import Operations
import TestSupport
import Testing

@testable import Switchboard

@Suite("A storm of chat", .serialized)
struct ChatStormTests {
    private static let operationsPerSeed = 12_500

    /// `PARLEY_LONG_TESTS=1` makes it a million operations; `PARLEY_STORM_SEED=7` repeats one seed alone.
    static let seeds: Range<UInt64> = {
        let seed = ProcessInfo.processInfo.environment["PARLEY_STORM_SEED"].flatMap { UInt64($0) }
        return seed.map { $0..<($0 + 1) } ?? LongTests.seeds(2, long: 80)
    }()

    @Test(
        "D04 D19 E02 E09 F02 leaves every message once, tells it to all who listen and to nobody else, and counts right",
        arguments: seeds)
    func storm(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        for name in ["store.db-wal", "store.db-shm"] { _ = folder.place(name) }
        var storm = try ChatStorm(seed: seed, path: folder.place("store.db"))
        do {
            try await storm.run(operations: Self.operationsPerSeed)
        } catch let damage as ChatDamage {
            Issue.record("seed \(seed): \(damage); again with PARLEY_STORM_SEED=\(seed)")
            return await storm.end()
        }
        await storm.end()
        // A storm that meets only closed doors proves nothing.
        #expect(storm.repeats > 100)
        #expect(storm.heard > 10_000)
        #expect(
            storm.refusals.isSuperset(
                of: [.blocked, .silenced, .notFound, .notMember, .forbidden, .conflict]))
    }
}
