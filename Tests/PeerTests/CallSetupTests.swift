import Peer
import TestSupport
import Testing
import Vocabulary

@Suite("A call")
struct CallSetupTests {
    @Test("J01 is secret after three round trips, the callee's side after two and a half")
    func setUp() throws {
        let scene = CallScene()
        scene.caller.session.addTransceiver()
        scene.callee.session.addTransceiver(isForTrack: true)
        try scene.caller.offer()
        let isDone = scene.run(until: 5000) { scene.callers.allSatisfy { $0.session.state == .connected } }
        #expect(isDone)
        let times = scene.callers.compactMap { $0.when(.stateChanged(.connected)) }.sorted()
        #expect(times.count == 2)
        #expect(times[0] <= Instant(milliseconds: 255) && times[1] <= Instant(milliseconds: 305), "\(times)")
    }
}

extension CallSetupTests {
    private static func timeToConnect(loss: Double, seed: UInt64) throws -> Duration? {
        let scene = CallScene(seed: seed, loss: loss)
        scene.caller.session.addTransceiver()
        scene.callee.session.addTransceiver(isForTrack: true)
        try scene.caller.offer()
        let isDone = scene.run(until: 60_000) { scene.callers.allSatisfy { $0.session.state == .connected } }
        return isDone ? Instant(milliseconds: 0).duration(to: scene.network.now) : nil
    }

    @Test("J01 is set up although packets get lost", arguments: [0.1, 0.3])
    func losses(loss: Double) throws {
        let times = try (0..<100).map { seed in
            try #require(try Self.timeToConnect(loss: loss, seed: seed), "seed \(seed) never connected")
        }.sorted()
        print("connected with \(loss): p50 \(times[50]), p95 \(times[95]), last \(times[99])")
    }
}
