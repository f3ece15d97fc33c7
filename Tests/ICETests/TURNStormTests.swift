import ICE
import TestSupport
import Testing
import Vocabulary

@Suite("A TURN client on a bad line")
struct TURNStormTests {
    @Test("keeps its allocation for an hour, whatever is lost", arguments: [0.05, 0.2], 0..<8)
    func loss(share: Double, seed: UInt64) throws {
        let scene = try TURNScene(loss: share, seed: seed) { temper in
            temper.nonceLife = .seconds(150)
            temper.isModern = seed.isMultiple(of: 2)
        }
        #expect(scene.allocate() != nil)
        scene.caller.bindChannel(to: TURNScene.peer4)
        var (came, asked) = (0, 0)
        for minute in 0..<60 {
            if minute == 30 { scene.server.temper.realm = "new.example" }
            asked += 20
            for _ in 0..<20 where scene.echoes() { came += 1 }
            scene.run(.seconds(40))
        }
        #expect(scene.caller.allocation != nil)
        let expected = Double(asked) * (1 - share) * (1 - share)
        #expect(abs(Double(came) - expected) < 6 * (Double(asked) * 0.25).squareRoot())
    }

    @Test("lives through whatever comes from the server's address", arguments: TURNTransport.allCases, 0..<20)
    func noise(transport: TURNTransport, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let scene = try TURNScene(TURNSettings(transport: transport), seed: seed)
        scene.caller.spoil = { bytes in
            guard Int.random(in: 0..<4, using: &random) == 0 else { return bytes }
            var bytes = bytes
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            default: bytes = random.bytes(Int.random(in: 0...100, using: &random))
            }
            return bytes
        }
        scene.caller.start()
        for _ in 0..<200 {
            _ = scene.echoes()
            scene.caller.bindChannel(to: TURNScene.peer4)
            if scene.caller.client.isClosed { break }
        }
        // A datagram that was spoilt is as good as lost; a stream may be beyond repair.
        if !transport.isStream { #expect(scene.caller.allocation != nil) }
    }
}
