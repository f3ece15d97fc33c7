import Foundation
import TestSupport
import Testing

@Suite("Presence, rooms and calls over several nodes")
struct LedgerStormTests {
    private static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["PARLEY_STORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...8)
    /// `PARLEY_LONG_TESTS=1` makes it a million for each of three.
    private static let isLong = ProcessInfo.processInfo.environment["PARLEY_LONG_TESTS"] != nil

    @Test(
        "Y07.storm all nodes are in the same state and know of the same events, though they die, stand still and lose their database",
        arguments: seeds)
    func storm(seed: UInt64) throws {
        if Self.isLong, seed > 3 { return }
        let storm = LedgerStorm(seed: seed)
        storm.run(events: Self.isLong ? 1_000_000 : 4_000, checks: Self.isLong ? 100 : 4)
        #expect(storm.damage == [], "again with PARLEY_STORM_SEED=\(seed)")
        // A storm in which nothing happens proves nothing.
        #expect(storm.done > storm.asked / 4 && storm.faults > 3 && storm.events > storm.done / 4)
    }
}
