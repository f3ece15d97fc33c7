import ICE
import Peer
import TestSupport
import Testing
import VirtualPeers
import Vocabulary

/// What strangers send while two are still finding each other. They know everything but the passwords and the keys: the addresses, the
/// names of both sides, and what a call of the same two looked like before.
@Suite("A call that is set up among strangers")
struct HostileSetUpTests {
    private static let stranger = SocketAddress(.v4(0xC633_640A), port: 4000)

    /// What one of the two was sent before, and by whom.
    private struct Rehearsal {
        let datagrams: [[UInt8]]
        let peer: SocketAddress

        init(of caller: VirtualCaller) throws {
            self.datagrams = caller.datagrams.map(\.bytes)
            self.peer = try #require(caller.datagrams.first).from
        }

        func first(_ isMeant: ([UInt8]) -> Bool) throws -> [UInt8] {
            let datagram = self.datagrams.first(where: isMeant)
            return try #require(datagram)
        }
    }

    private static func rehearse(embedded: Bool = false) throws -> [Rehearsal] {
        // What is embedded is of a call with other passwords.
        let scene = self.scene(embedded: embedded, seed: embedded ? 2 : 1)
        for caller in scene.callers { caller.keepsDatagrams = true }
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        return try scene.callers.map(Rehearsal.init)
    }

    /// - Parameter embedded: checks carry the handshake.
    private static func scene(embedded: Bool, seed: UInt64 = 1) -> CallScene {
        var settings = PeerSettings()
        settings.embedsHandshake = embedded
        return CallScene(seed: seed, settings: settings)
    }

    /// The same call, in each millisecond of whose set-up both sides get packets. It is set up in the same time, and is heard.
    private static func expectUnharmed(
        isFromPeer: Bool = false, _ rehearsals: [Rehearsal],
        _ attack: @escaping (_ side: Int, _ millisecond: Int) -> [[UInt8]]
    ) throws {
        for embedded in [false, true] {
            try self.expectUnharmed(
                self.scene(embedded: embedded), by: embedded ? 205 : 305, isFromPeer, rehearsals, attack)
        }
    }

    private static func expectUnharmed(
        _ scene: CallScene, by milliseconds: Int64, _ isFromPeer: Bool, _ rehearsals: [Rehearsal],
        _ attack: @escaping (_ side: Int, _ millisecond: Int) -> [[UInt8]]
    ) throws {
        var arrived = 0
        for millisecond in 0..<600 {
            scene.network.after(.milliseconds(millisecond)) {
                for (side, caller) in scene.callers.enumerated() {
                    for packet in attack(side, millisecond) {
                        arrived += 1
                        caller.deliver(packet, from: isFromPeer ? rehearsals[side].peer : Self.stranger)
                    }
                }
            }
        }
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.session.state == .connected } })
        let times = scene.callers.compactMap { $0.when(.stateChanged(.connected)) }.sorted()
        #expect(
            times.count == 2 && times[0] <= Instant(milliseconds: milliseconds - 50)
                && times[1] <= Instant(milliseconds: milliseconds), "\(times)")
        scene.network.run(for: .seconds(1))
        for caller in scene.callers { caller.audibleShare = (0, 0) }
        scene.network.run(for: .seconds(1))
        for caller in scene.callers {
            #expect(caller.session.state == .connected)
            #expect(!caller.events.contains(.goodbye))
            #expect(caller.audibleShare.audible == caller.audibleShare.all)
        }
        #expect(arrived >= 1200)
    }

    private static func isClientHello(_ bytes: [UInt8]) -> Bool { bytes[0] == 22 && bytes.count > 25 && bytes[13] == 1 }

    /// A handshake message in pieces (RFC 6347 §4.2.3), each in a record of its own.
    private static func fragments(of hello: [UInt8], count: Int) -> [[UInt8]] {
        let body = Array(hello[25...])
        let size = (body.count + count - 1) / count
        return stride(from: 0, to: body.count, by: size).enumerated().map { index, start in
            let piece = body[start..<min(body.count, start + size)]
            let number = { (value: Int) in [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)] }
            let message = hello[13..<19] + number(start) + number(piece.count) + piece
            return hello[0..<10] + [UInt8(index), UInt8(message.count >> 8), UInt8(message.count & 255)] + message
        }
    }

    @Test("J01 A stranger's greeting, whole or in pieces, begins nothing")
    func greetings() throws {
        let rehearsals = try Self.rehearse()
        let hello = try #require(rehearsals.flatMap(\.datagrams).first(where: Self.isClientHello))
        #expect(Self.fragments(of: hello, count: 1) == [hello])
        let pieces = Self.fragments(of: hello, count: 5)
        #expect(pieces.count == 5)
        try Self.expectUnharmed(rehearsals) { _, millisecond in
            [hello, pieces[millisecond % 5]] + (millisecond.isMultiple(of: 7) ? pieces.reversed() : [])
        }
    }

    @Test("J38 A greeting in a check that nobody signed begins nothing")
    func embeddedGreetings() throws {
        let rehearsals = try Self.rehearse(embedded: true)
        // Of Binding requests and responses those that carry something.
        let checks = rehearsals.map { $0.datagrams.filter { $0[0] < 4 && $0.count > 200 } }
        #expect(checks.allSatisfy { !$0.isEmpty })
        try Self.expectUnharmed(rehearsals) { side, millisecond in
            [checks[side][millisecond % checks[side].count]]
        }
    }

    @Test("J01 An alert that anybody could have written ends nothing", arguments: [false, true])
    func alerts(isFromPeer: Bool) throws {
        // Fatal ones, the polite end of a connection, and two in one datagram.
        let alerts = [[2, 40], [2, 10], [1, 0]].map(Self.alert)
        try Self.expectUnharmed(isFromPeer: isFromPeer, try Self.rehearse()) { _, _ in alerts + [alerts[0] + alerts[2]]
        }
    }

    private static func alert(_ level: [UInt8]) -> [UInt8] {
        [21, 0xFE, 0xFD] + [UInt8](repeating: 0, count: 8) + [0, 2] + level
    }

    @Test("J01 An alert is believed when nothing else comes", arguments: [false, true])
    func trueAlert(isSent: Bool) throws {
        let peer = try Self.rehearse()[1].peer
        let scene = CallScene()
        try scene.connect()
        #expect(
            scene.run(until: 5000) {
                scene.callee.session.securityState == .connecting && scene.callee.session.agent.hasPath
            })
        scene.caller.hangUp()
        if isSent { scene.callee.deliver(Self.alert([2, 40]), from: peer) }
        scene.network.run(for: .seconds(1))
        #expect(scene.callee.session.state != .failed)
        scene.network.run(for: .seconds(6))
        #expect((scene.callee.session.state == .failed) == isSent)
    }

    @Test("J01 A goodbye that anybody could have written is not believed", arguments: [false, true])
    func goodbyes(isFromPeer: Bool) throws {
        let rehearsals = try Self.rehearse()
        // Those of before, under other keys, and plain ones in the name of whoever sends.
        let sources = try rehearsals.map {
            try Array($0.first { $0[0] >= 128 && !(64...95).contains($0[1] & 127) }[8..<12])
        }
        let old = rehearsals.map { $0.datagrams.filter { $0[0] >= 128 }.suffix(5) }
        try Self.expectUnharmed(isFromPeer: isFromPeer, rehearsals) { side, millisecond in
            let goodbye: [UInt8] = [0x81, 203, 0, 1] + sources[side]
            let report: [UInt8] = [0x80, 201, 0, 1] + sources[side]
            return [goodbye, report + goodbye, Array(old[side])[millisecond % old[side].count]]
        }
    }

    @Test("J01 Ten thousand packets of STUN a second hold nothing up", arguments: [false, true])
    func flood(isFromPeer: Bool) throws {
        let rehearsals = try Self.rehearse()
        // Requests alone: the answers of before are those that will come, since the numbers of both calls are the same.
        let checks = rehearsals.map { $0.datagrams.filter { $0[0] == 0 && $0[1] == 1 } }
        #expect(checks.allSatisfy { !$0.isEmpty })
        var random = SeededRandom(seed: 3)
        try Self.expectUnharmed(isFromPeer: isFromPeer, rehearsals) { side, _ in
            (0..<10).map { index in
                var packet = checks[side].randomElement(using: &random) ?? []
                switch index % 5 {
                // Each of another transaction, so that none is known already.
                case 0: packet.replaceSubrange(8..<20, with: random.bytes(12))
                // Answers to nothing, and answers that refuse.
                case 1: packet.replaceSubrange(0..<2, with: [1, 1])
                case 2: packet.replaceSubrange(0..<2, with: [1, 0x11])
                case 3: packet = Array(packet.prefix(Int.random(in: 1..<packet.count, using: &random)))
                default: packet = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + random.bytes(12)
                }
                return packet
            }
        }
    }
}
