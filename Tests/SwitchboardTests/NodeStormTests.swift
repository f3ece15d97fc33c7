import Foundation
import TestSupport
import Testing

@Suite("Chat over several nodes")
struct NodeStormTests {
    private static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["PARLEY_STORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...6)

    @Test("Y02 everybody hears everything once and in order, though news between nodes are lost", arguments: seeds)
    func storm(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        for name in ["store.db-wal", "store.db-shm"] { _ = folder.place(name) }
        let storm = try NodeStorm(seed: seed, path: folder.place("store.db"))
        let report = await storm.run(operations: 600)
        #expect(report.damage == [], "again with PARLEY_STORM_SEED=\(seed)")
        // A storm in which nothing happens proves nothing.
        #expect(report.written > 800 && report.heard > 1000)
    }
}
