import ICE
import Negotiating
import Peer
import SDP
import Secure
import TestSupport
import Testing
import VirtualPeers
import Vocabulary

@Suite("A call")
struct CallSetupTests {
    private struct SetUp {
        let embedders: (caller: Bool, callee: Bool)
        /// How long a description is on its way, and when the two are connected at the latest, in milliseconds.
        let signalling: Int
        let limits: (first: Int64, second: Int64)
    }

    private static let setUps = [
        SetUp(embedders: (true, true), signalling: 0, limits: (155, 205)),
        SetUp(embedders: (true, true), signalling: 80, limits: (265, 315)),
        SetUp(embedders: (true, false), signalling: 0, limits: (255, 305)),
        SetUp(embedders: (false, true), signalling: 0, limits: (255, 305)),
        SetUp(embedders: (false, false), signalling: 80, limits: (365, 415)),
    ]

    @Test(
        "J01 J38 is secret after two round trips where both sides embed the handshake in checks, else after three",
        arguments: Self.setUps.indices)
    func setUp(index: Int) throws {
        let setUp = Self.setUps[index]
        var (caller, callee) = (PeerSettings(), PeerSettings())
        (caller.embedsHandshake, callee.embedsHandshake) = setUp.embedders
        let scene = CallScene(
            signalling: .milliseconds(setUp.signalling), settings: caller, calleeSettings: callee)
        try scene.connect()
        let isDone = scene.run(until: 5000) { scene.callers.allSatisfy { $0.session.state == .connected } }
        #expect(isDone)
        let times = scene.callers.compactMap { $0.when(.stateChanged(.connected)) }.sorted()
        #expect(times.count == 2)
        for caller in scene.callers {
            let ciphers = try #require(caller.session.statistics.ciphers)
            #expect(ciphers.version == "FEFD" && ciphers.srtp == "SRTP_AEAD_AES_128_GCM")
            #expect(ciphers.cipher.hasPrefix("TLS_ECDHE_ECDSA_WITH_AES_"))
        }
        #expect(times[0] <= Instant(milliseconds: setUp.limits.first), "\(times)")
        #expect(times[1] <= Instant(milliseconds: setUp.limits.second), "\(times)")
    }

    /// When the later of the two hears the other.
    private static func timeToHear(loss: Double, seed: UInt64) throws -> Duration? {
        let scene = CallScene(seed: seed, loss: loss)
        try scene.connect()
        let isDone = scene.run(until: 60_000) { scene.callers.allSatisfy { $0.audibleAt != nil } }
        return isDone ? Instant(milliseconds: 0).duration(to: scene.network.now) : nil
    }

    /// The aims, with a little room for fewer seeds; `PARLEY_LONG_TESTS=1` takes a thousand.
    @Test("J01 is heard soon although packets get lost", arguments: [(0.1, 0.40, 0.75), (0.3, 1.0, 2.0)])
    func losses(loss: Double, median: Double, late: Double) throws {
        let times = try LongTests.seeds(60, long: 1000).map { seed in
            try #require(try Self.timeToHear(loss: loss, seed: seed), "seed \(seed): nobody was heard") / .seconds(1)
        }.sorted()
        let (p50, p95) = (times[times.count / 2], times[times.count * 95 / 100])
        print("heard with \(loss) lost each way: p50 \(p50) s, p95 \(p95) s, last \(times[times.count - 1]) s")
        #expect(p50 <= median && p95 <= late)
    }

    @Test("J01 carries sound both ways, and says goodbye")
    func sound() throws {
        let scene = CallScene()
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        for caller in scene.callers {
            caller.audibleShare = (0, 0)
            #expect(caller.events.contains(.track(transceiver: 0)) && caller.events.contains(.heard(transceiver: 0)))
        }
        scene.network.run(for: .seconds(10))
        for caller in scene.callers { #expect(caller.audibleShare.audible == caller.audibleShare.all) }
        scene.caller.hangUp()
        scene.network.run(for: .seconds(1))
        #expect(scene.callee.events.contains(.goodbye))
        #expect(scene.callee.session.state != .connected && scene.caller.session.state == .closed)
    }

    @Test("J01 puts a side on hold, and takes it back")
    func hold() throws {
        let scene = CallScene()
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        scene.caller.session.setDirection(.inactive, of: 0)
        #expect(scene.caller.session.takeEvents().contains(.negotiationNeeded))
        try scene.caller.offer()
        scene.network.run(for: .seconds(1))
        for caller in scene.callers {
            #expect(caller.events.contains(.trackEnded(transceiver: 0)))
            caller.audibleShare = (0, 0)
        }
        scene.network.run(for: .seconds(2))
        for caller in scene.callers { #expect(caller.audibleShare.audible == 0) }
        scene.caller.session.setDirection(.sendReceive, of: 0)
        try scene.caller.offer()
        scene.network.run(for: .seconds(1))
        for caller in scene.callers { caller.audibleShare = (0, 0) }
        scene.network.run(for: .seconds(1))
        for caller in scene.callers { #expect(caller.audibleShare.audible > 95) }
    }

    @Test("J01 finds a new path without a gap", arguments: 0..<10)
    func restart(seed: UInt64) throws {
        let scene = CallScene(seed: seed)
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        let fragments = scene.callers.map(\.session.agent.credentials.usernameFragment)
        for caller in scene.callers { caller.audibleShare = (0, 0) }
        scene.caller.session.restartICE()
        try scene.caller.offer()
        scene.network.run(for: .seconds(5))
        for (caller, old) in zip(scene.callers, fragments) {
            #expect(caller.session.agent.credentials.usernameFragment != old)
            #expect(caller.session.state == .connected)
            #expect(caller.audibleShare.audible == caller.audibleShare.all)
        }
    }

    @Test("J01 gives way to a crossing offer, and both get what they wanted")
    func glare() throws {
        let scene = CallScene(signalling: .milliseconds(30))
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        for caller in scene.callers { caller.session.addTransceiver(.audio, .sendOnly) }
        scene.callee.isPolite = true
        try scene.caller.offer()
        try scene.callee.offer()
        scene.network.run(for: .seconds(1))
        for caller in scene.callers where caller.session.negotiation.isNeeded { try caller.offer() }
        scene.network.run(for: .seconds(1))
        for caller in scene.callers {
            #expect(caller.session.negotiation.state == .stable)
            #expect(caller.session.negotiation.transceivers.compactMap(\.currentDirection).count == 3)
        }
    }

    @Test("J01 makes the description that is to be set where nobody has made one")
    func unmadeDescriptions() throws {
        let scene = CallScene()
        scene.caller.session.addTransceiver()
        try scene.caller.attempt { try $0.setLocalDescription(.offer, at: $1, into: &$2) }
        let offer = try #require(scene.caller.session.localDescription)
        try scene.callee.attempt { try $0.setRemoteDescription(.offer, offer, at: $1, into: &$2) }
        try scene.callee.attempt { try $0.setLocalDescription(.answer, at: $1, into: &$2) }
        let answer = try #require(scene.callee.session.localDescription)
        try scene.caller.attempt { try $0.setRemoteDescription(.answer, answer, at: $1, into: &$2) }
        #expect(scene.callers.allSatisfy { $0.session.negotiation.state == .stable })
        #expect(throws: NegotiationError.self) {
            try scene.caller.attempt { try $0.setLocalDescription(.answer, at: $1, into: &$2) }
        }
    }

    @Test("J01 hears keys of a telephone, each way")
    func keys() throws {
        let scene = CallScene()
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        scene.caller.act { #expect($0.press("12#", at: $1, into: &$2) == 3) }
        scene.callee.act { #expect($0.press("*", at: $1, into: &$2) == 1) }
        scene.network.run(for: .seconds(2))
        #expect(scene.callee.keys == "12#" && scene.caller.keys == "*")
    }

    @Test("J14 comes back as an echo, without a codec in between")
    func echo() throws {
        var settings = PeerSettings()
        settings.sound.echoes = true
        settings.sound.isPlayed = false
        let scene = CallScene(calleeSettings: settings)
        try scene.connectToEcho()
        #expect(scene.run(until: 5000) { scene.caller.audibleAt != nil })
        scene.caller.audibleShare = (0, 0)
        scene.network.run(for: .seconds(5))
        #expect(scene.caller.audibleShare.audible == scene.caller.audibleShare.all)
    }

    @Test("J14 keeps what it echoes for whoever records it, but not for ever")
    func recordedEcho() throws {
        var settings = PeerSettings()
        settings.sound.echoes = true
        settings.sound.isPlayed = false
        settings.sound.lendsPayloads = true
        let scene = CallScene(calleeSettings: settings)
        try scene.connectToEcho()
        #expect(scene.run(until: 5000) { scene.caller.audibleAt != nil })
        scene.network.run(for: .seconds(10))
        #expect(scene.callee.events.contains(.payloadsWaiting))
        var count = 0
        while let payload = scene.callee.session.nextPayload(at: scene.network.now) {
            scene.callee.session.recycle(payload)
            count += 1
        }
        #expect((1...64).contains(count))
    }
}
