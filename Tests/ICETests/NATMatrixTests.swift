import ICE
import TestSupport
import Testing
import Vocabulary

@Suite("Through every pair of NATs")
struct NATMatrixTests {
    static let kinds = NATBehaviour.kinds + [.udpBlocked]

    @Test("J09 two peers find the cheapest way there is", arguments: [0, 0.05, 0.2])
    func matrix(loss: Double) throws {
        var matrix = NATMatrix(Self.kinds)
        for (row, left) in Self.kinds.enumerated() {
            for (column, right) in Self.kinds.enumerated() {
                for seed in LongTests.seeds(1, long: 1000) {
                    let run = try Self.run(left, right, loss: loss, seed: seed)
                    matrix.add(run, row, column)
                }
            }
        }
        #expect(matrix.isCheapest)
        let times = [0.5, 0.99, 1].map { share in matrix.time(share).map { "\($0)" } ?? "none" }
        print(
            """
            \(matrix.runs.count) runs with \(Int(loss * 100)) % loss; both had a pair after \(times[0]) (median), \
            \(times[1]) (99 of 100), \(times[2]) (all)
            \(matrix)
            """)
    }

    private static func run(
        _ left: NATBehaviour, _ right: NATBehaviour, loss: Double, seed: UInt64
    ) throws -> NATMatrix.Run {
        let scene = try NATScene(left, right, loss: loss, seed: seed)
        try scene.start()
        scene.settle()
        let (isBest, isSameWay) = (scene.isBest, scene.isSameWay)
        let relays = max(scene.relays(0) ?? 3, scene.relays(1) ?? 3)
        let name = "seed \(seed), loss \(loss): \(left) to \(right)"
        #expect(isBest, "\(name) by \(scene.relays(0) ?? -1), \(scene.relays(1) ?? -1) relays")
        #expect(isSameWay, "\(name) by ways that differ")
        let isCarrying = scene.carriesPackets()
        #expect(isCarrying, "\(name) and back")
        let times = scene.peers.compactMap(\.selectedAt).map { Instant(nanoseconds: 0).duration(to: $0) }
        return NATMatrix.Run(
            relays: isSameWay && isCarrying ? relays : 3, fewest: NATScene.fewestRelays(left, right),
            time: times.count == 2 ? times.max() : nil)
    }
}
