import STUN
import TURN
import TestSupport
import Testing
import Vocabulary

/// Four clients and six peers do whatever comes to mind, and a short account of what should be is kept beside.
@Suite("A TURN server in a storm")
struct TURNServerStormTests {
    private static let steps = 4000
    private static let peers = (1...6).map { SocketAddress(.v4(0x0808_0800 | $0), port: 4000) }

    @Test(
        "Q02 carries what is permitted and nothing else, and forgets what has ended",
        arguments: LongTests.seeds(5, long: 250))
    func storm(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let scene = TURNServerScene(seed: seed)
        let clients = (1...4).map { number in
            Account(
                SceneClient(
                    scene, UInt8(number), user: "user\(number % 3)", lasts: .seconds(100_000_000), isOld: number == 2))
        }
        for _ in 0..<Self.steps {
            let client = clients.randomElement(using: &random) ?? clients[0]
            let peer = Self.peers.randomElement(using: &random) ?? Self.peers[0]
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: client.allocate(scene)
            case 2: client.permit(peer, scene)
            case 3, 4: client.bind(UInt16.random(in: 0x4000...0x4007, using: &random), to: peer, scene)
            case 5, 6: client.send(to: peer, scene)
            case 7: client.sendOnChannel(UInt16.random(in: 0x4000...0x4007, using: &random), scene)
            case 8, 9: client.hears(peer, scene)
            case 10 where Bool.random(using: &random): client.free(scene)
            default: scene.pass(.seconds(Int.random(in: 0...90, using: &random)))
            }
            #expect(scene.openRelays == clients.count { $0.isOpen(scene) })
        }
    }

    /// What one client should have.
    private final class Account {
        let client: SceneClient
        private var relayed: SocketAddress?
        private var end = Instant(nanoseconds: 0)
        private var permissions: [IPAddress: Instant] = [:]
        private var channels: [UInt16: (peer: SocketAddress, end: Instant)] = [:]

        init(_ client: SceneClient) { self.client = client }

        func isOpen(_ scene: TURNServerScene) -> Bool { self.relayed != nil && scene.now < self.end }

        func allocate(_ scene: TURNServerScene) {
            let reply = self.client.allocate()
            guard !self.isOpen(scene) else { return self.expectCode(reply.code, 437) }
            self.expectCode(reply.code, nil)
            (self.relayed, self.end) = (reply.relayed.first, scene.now + .seconds(600))
            (self.permissions, self.channels) = ([:], [:])
        }

        func free(_ scene: TURNServerScene) {
            self.expectCode(self.client.refresh(.zero).code, nil)
            self.relayed = nil
        }

        func permit(_ peer: SocketAddress, _ scene: TURNServerScene) {
            let reply = self.client.permit(peer)
            self.expectCode(reply.code, self.isOpen(scene) ? nil : 437)
            if reply.code == nil { self.permissions[peer.ip] = scene.now + .seconds(300) }
        }

        func bind(_ number: UInt16, to peer: SocketAddress, _ scene: TURNServerScene) {
            let reply = self.client.bind(number, to: peer)
            guard self.isOpen(scene) else { return self.expectCode(reply.code, 437) }
            self.channels = self.channels.filter { scene.now < $0.value.end }
            let isFree =
                self.channels[number].map { $0.peer == peer } ?? !self.channels.values.contains { $0.peer == peer }
            self.expectCode(reply.code, isFree ? nil : 400)
            guard isFree else { return }
            self.channels[number] = (peer, scene.now + .seconds(600))
            self.permissions[peer.ip] = scene.now + .seconds(300)
        }

        private func permits(_ peer: SocketAddress, _ scene: TURNServerScene) -> Bool {
            self.isOpen(scene) && self.permissions[peer.ip].map { scene.now < $0 } ?? false
        }

        func send(to peer: SocketAddress, _ scene: TURNServerScene) {
            let before = scene.sentByRelays
            self.client.send([1], to: peer)
            #expect(scene.sentByRelays - before == (self.permits(peer, scene) ? 1 : 0))
        }

        func sendOnChannel(_ number: UInt16, _ scene: TURNServerScene) {
            let before = scene.sentByRelays
            self.client.send([2], on: number)
            let peer = self.channels[number].flatMap { scene.now < $0.end ? $0.peer : nil }
            #expect(scene.sentByRelays - before == (peer.map { self.permits($0, scene) } ?? false ? 1 : 0))
        }

        func hears(_ peer: SocketAddress, _ scene: TURNServerScene) {
            guard let relayed = self.relayed else { return }
            self.client.line.sent.removeAll()
            scene.peer(peer, sends: [3], to: relayed)
            let channel = self.channels.first { $0.value.peer == peer && scene.now < $0.value.end }?.key
            let expected: [SceneClient.Letter] =
                !self.permits(peer, scene) ? [] : [channel.map { .init([3], on: $0) } ?? .init([3], from: peer)]
            #expect(self.client.takeData() == expected)
        }

        private func expectCode(_ code: Int?, _ expected: Int?) { #expect(code == expected) }
    }
}
