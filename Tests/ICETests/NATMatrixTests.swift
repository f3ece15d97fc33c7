import ICE
import TestSupport
import Testing
import Vocabulary

@Suite("Through every pair of NATs")
struct NATMatrixTests {
    static let kinds = NATBehaviour.kinds + [.udpBlocked]

    @Test("J09 two peers find the cheapest way there is", arguments: [0, 0.05, 0.2])
    func matrix(loss: Double) throws {
        var lines: [String] = []
        for left in Self.kinds {
            var cells: [String] = []
            for right in Self.kinds {
                for seed in LongTests.seeds(1, long: 1000) {
                    let scene = try NATScene(left, right, loss: loss, seed: seed)
                    try scene.start()
                    scene.settle()
                    let (isBest, isSameWay) = (scene.isBest, scene.isSameWay)
                    let name = "seed \(seed), loss \(loss): \(left) to \(right)"
                    #expect(isBest, "\(name) by \(scene.relays(0) ?? -1), \(scene.relays(1) ?? -1) relays")
                    #expect(isSameWay, "\(name) by ways that differ")
                    let isCarrying = scene.carriesPackets()
                    #expect(isCarrying, "\(name) and back")
                }
                cells.append(["direct", "relay ", "2relay"][NATScene.fewestRelays(left, right)])
            }
            lines.append(cells.joined(separator: " ") + "  \(left)")
        }
        print("loss \(loss):\n" + lines.joined(separator: "\n"))
    }
}
