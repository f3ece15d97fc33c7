import Bytes
import STUN
import TURN
import TestSupport
import Testing
import Vocabulary

@Suite("A TURN server")
struct TURNServerTests {
    typealias Scene = TURNServerScene
    private static let other = SocketAddress(.v4(0x0808_0404), port: 9)

    @Test("Q01 gives an address to whoever shows the password, by the old rules and the new", arguments: [false, true])
    func allocates(isOld: Bool) {
        let scene = Scene()
        let client = SceneClient(scene, isOld: isOld)
        let reply = client.allocate()
        #expect(reply.code == nil && reply.relayed == [SocketAddress(Scene.server, port: 50_000)])
        #expect(reply.mapped == client.address && reply.lifetime == .seconds(600))
        #expect(client.repeatRequest() == reply, "an answer that was lost comes again")
        #expect(client.allocate().code == 437)
        #expect(scene.server.counts.open == 1 && scene.openRelays == 1)
    }

    @Test("Q01 asks for a name first, in an answer of few bytes")
    func challenges() {
        let client = SceneClient(Scene())
        #expect(client.askOnce(STUNMethod.allocate) { $0.append(requestedTransport: 17) }.code == 401)
        #expect((client.line.sent.last?.count ?? 0) <= 96)
    }

    @Test("Q01 knows nobody by a wrong password, a name that has ended, or a nonce of another")
    func refuses() throws {
        let scene = Scene()
        #expect(SceneClient(scene, secret: Array("another secret than the server's".utf8)).allocate().code == 401)
        #expect(SceneClient(scene, lasts: .seconds(-1)).allocate().code == 401)
        let (one, two) = (SceneClient(scene, 3), SceneClient(scene, 4))
        _ = one.askOnce(STUNMethod.allocate)
        two.line.sent = one.line.sent
        #expect(two.takeChallenge())
        #expect(two.askOnce(STUNMethod.allocate) { $0.append(requestedTransport: 17) }.code == 438)
        #expect(scene.server.counts.open == 0 && scene.openRelays == 0)
    }

    @Test("Q01 asks anew when a nonce is an hour old, and goes on")
    func staleNonce() {
        let scene = Scene()
        let client = SceneClient(scene, lasts: .seconds(10_000))
        client.allocate()
        for _ in 0..<7 {
            scene.pass(.seconds(590))
            #expect(client.refresh(.seconds(600)).code == nil)
        }
        #expect(scene.server.counts.refused[.staleNonce] == 1)
    }

    @Test("Q01 keeps a call that is longer than its name lasts, and gives nothing new for it")
    func outlivesName() {
        let scene = Scene()
        let client = SceneClient(scene, lasts: .seconds(600))
        client.allocate()
        scene.pass(.seconds(599))
        #expect(client.refresh(.seconds(600)).code == nil)
        scene.pass(.seconds(500))
        #expect(client.refresh(.seconds(600)).code == nil && client.permit(Scene.peer).code == nil)
        #expect(client.refresh(.zero).code == nil)
        #expect(client.allocate().code == 401)
    }

    @Test("Q01 takes requests about an allocation from its own user only")
    func wrongCredentials() {
        let scene = Scene()
        SceneClient(scene, 7, user: "anna").allocate()
        // Another user behind the same address and port, on the same line.
        let first = SceneClient(scene, 8, user: "anna")
        first.allocate()
        let second = SceneClient(scene, 8, user: "mallory")
        let line = first.line
        _ = second.askOnce(STUNMethod.refresh)
        #expect(second.takeChallenge())
        var writer = STUNWriter(.request, STUNMethod.refresh, TransactionID(high: 1, low: 2))
        writer.append(lifetime: .zero)
        second.authentication?.sign(&writer)
        line.sent.removeAll()
        scene.server.received(
            writer.finish().bytes.span, from: first.address, on: line, at: scene.now, scene.wall)
        let answer = line.sent.last ?? []
        #expect((try? STUNMessage(parsing: answer.span))?.errorCode == .wrongCredentials)
        #expect(scene.server.counts.open == 2)
    }

    @Test("Q02 carries what both say, by indications and by channels", arguments: [false, true])
    func relays(isStream: Bool) {
        let scene = Scene()
        let client = SceneClient(scene, isStream: isStream)
        let relayed = client.allocate().relayed[0]
        #expect(client.permit(Scene.peer).code == nil)
        client.send([1, 2, 3], to: Scene.peer)
        #expect(scene.relays[0].sent.map(\.payload) == [[1, 2, 3]] && scene.relays[0].sent[0].peer == Scene.peer)
        scene.peer(Scene.peer, sends: [4], to: relayed)
        #expect(client.takeData() == [.init([4], from: Scene.peer)])
        #expect(client.bind(0x4000, to: Scene.peer).code == nil)
        client.send([5, 6], on: 0x4000)
        #expect(scene.relays[0].sent.last?.payload == [5, 6])
        scene.peer(Scene.peer, sends: [7], to: relayed)
        #expect(client.line.sent.last?.count == (isStream ? 8 : 5))
        #expect(client.takeData() == [.init([7], on: 0x4000)])
    }

    @Test("Q02 carries nothing to or from whom there is no permission for, nor after it has ended")
    func permissions() {
        let scene = Scene()
        let client = SceneClient(scene, lasts: .seconds(9000))
        let relayed = client.allocate { $0.append(lifetime: .seconds(3600)) }.relayed[0]
        client.permit(Scene.peer)
        client.send([1], to: Self.other)
        client.send([1], on: 0x4001)
        scene.peer(Self.other, sends: [2], to: relayed)
        #expect(scene.relays[0].sent.isEmpty && client.takeData().isEmpty && scene.server.counts.dropped == 3)
        // Another port of the peer is the same peer.
        scene.peer(SocketAddress(Scene.peer.ip, port: 1), sends: [3], to: relayed)
        #expect(client.takeData().count == 1)
        scene.pass(.seconds(301))
        client.send([1], to: Scene.peer)
        scene.peer(Scene.peer, sends: [2], to: relayed)
        #expect(scene.relays[0].sent.isEmpty && client.takeData().isEmpty)
    }

    @Test("Q02 binds one channel to one peer")
    func channels() {
        let scene = Scene()
        let client = SceneClient(scene)
        client.allocate()
        #expect(client.bind(0x4000, to: Scene.peer).code == nil && client.bind(0x4000, to: Scene.peer).code == nil)
        #expect(client.bind(0x4000, to: Self.other).code == 400 && client.bind(0x4001, to: Scene.peer).code == 400)
        #expect(client.ask(STUNMethod.channelBind) { $0.append(.xorPeerAddress, Scene.peer) }.code == 400)
        #expect(client.ask(STUNMethod.createPermission).code == 400)
    }

    @Test("Q02 ends an allocation when it is told to, when its time is over, and when its connection ends")
    func ends() {
        let scene = Scene()
        let clients = (1...3).map { SceneClient(scene, $0, isStream: true) }
        for client in clients { client.allocate() }
        #expect(clients[0].refresh(.zero).lifetime == .zero && clients[0].refresh(.zero).code == nil)
        #expect(clients[0].refresh(.seconds(60)).code == 437)
        scene.server.ended(clients[1].line, of: clients[1].address)
        #expect(scene.server.counts.open == 1 && scene.openRelays == 1)
        scene.pass(.seconds(601))
        #expect(scene.server.counts.open == 0 && scene.openRelays == 0)
    }

    @Test("Q03 gives addresses of either family, of both, and says which one it has not")
    func families() {
        let scene = Scene()
        let six = SceneClient(scene, 1).allocate { $0.append(.requestedAddressFamily, .ipv6) }
        #expect(six.relayed.map(\.ip) == [Scene.server6])
        let both = SceneClient(scene, 2)
        #expect(
            both.allocate { $0.append(.additionalAddressFamily, .ipv6) }.relayed.map(\.ip) == [
                Scene.server, Scene.server6,
            ])
        #expect(both.permit(Scene.peer, Scene.peer6).code == nil)
        scene.families = [.ipv4]
        #expect(SceneClient(scene, 3).allocate { $0.append(.requestedAddressFamily, .ipv6) }.code == 440)
        let one = SceneClient(scene, 4)
        let reply = one.allocate { $0.append(.additionalAddressFamily, .ipv6) }
        #expect(reply.relayed.map(\.ip) == [Scene.server] && reply.missing == .ipv6)
        #expect(one.permit(Scene.peer6).code == 443 && one.bind(0x4000, to: Scene.peer6).code == 443)
        #expect(SceneClient(scene, 5).allocate { $0.append(.additionalAddressFamily, .ipv4) }.code == 400)
    }

    @Test("Q03 keeps the next port for the client's second allocation, for half a minute")
    func reservation() throws {
        let scene = Scene()
        let first = SceneClient(scene, 1).allocate { $0.append(.evenPort, UInt8(0x80)) }
        let token = try #require(first.token)
        #expect(first.relayed[0].port % 2 == 0)
        #expect(SceneClient(scene, 9, user: "mallory").allocate { $0.append(.reservationToken, token) }.code == 508)
        let second = SceneClient(scene, 2).allocate { $0.append(.reservationToken, token) }
        #expect(second.relayed == [SocketAddress(Scene.server, port: first.relayed[0].port + 1)])
        let late = try #require(SceneClient(scene, 3).allocate { $0.append(.evenPort, UInt8(0x80)) }.token)
        scene.pass(.seconds(31))
        #expect(SceneClient(scene, 4).allocate { $0.append(.reservationToken, late) }.code == 508)
        #expect(scene.openRelays == 3)
    }

    @Test("Q03 says what it does not do")
    func unsupported() {
        let client = SceneClient(Scene())
        #expect(client.ask(STUNMethod.allocate).code == 400)
        #expect(client.ask(STUNMethod.allocate) { $0.append(requestedTransport: 132) }.code == 442, "SCTP")
        #expect(client.ask(STUNMethod.allocate) { $0.append(requestedTransport: 6) }.code == 400, "TCP, by UDP")
        #expect(client.allocate { $0.append(.dontFragment) }.code == 420)
        #expect(client.ask(0x0FF).code == 400)
    }

    @Test("Q04 grants a user, a prefix and all together no more than they may have")
    func quotas() {
        let scene = Scene {
            $0.allocationsPerUser = 2
            $0.allocationsPerPrefix = 3
            $0.maximumAllocations = 4
        }
        #expect((1...3).map { SceneClient(scene, $0).allocate().code } == [nil, nil, 486])
        #expect(SceneClient(scene, 4, user: "ben").allocate().code == nil)
        #expect(SceneClient(scene, 5, user: "cem").allocate().code == nil)
        #expect(SceneClient(scene, 6, user: "dora").allocate().code == 508)
    }

    @Test("Q04 grants one prefix no more than it may have, whoever its users are")
    func prefixQuota() {
        let scene = Scene { $0.allocationsPerPrefix = 2 }
        let codes = (0..<3).map { SceneClient(scene, 9, user: "user\($0)").allocate().code }
        #expect(codes == [nil, nil, 486])
    }

    @Test("Q04 carries no more for a user than they may send")
    func bandwidth() {
        let scene = Scene { $0.bytesPerSecondPerUser = 1000 }
        let client = SceneClient(scene)
        client.allocate()
        client.bind(0x4000, to: Scene.peer)
        for _ in 0..<10 { client.send([UInt8](repeating: 0, count: 500), on: 0x4000) }
        #expect(scene.relays[0].sent.count == 4)
        scene.now = scene.now + .seconds(1)
        for _ in 0..<10 { client.send([UInt8](repeating: 0, count: 500), on: 0x4000) }
        #expect(scene.relays[0].sent.count == 6)
    }

    @Test("Q04 lets one allocation have so many peers, all of a request or none")
    func peerLimit() {
        let scene = Scene { $0.peersPerAllocation = 2 }
        let client = SceneClient(scene)
        client.allocate()
        #expect(client.permit(Scene.peer).code == nil)
        #expect(client.permit(Self.other, SocketAddress(.v4(0x0808_0405), port: 1)).code == 508)
        #expect(client.permit(Self.other).code == nil)
    }

    @Test("Q05 hands a packet from allocation to allocation without the network")
    func neighbours() {
        let scene = Scene()
        let (one, two) = (SceneClient(scene, 1), SceneClient(scene, 2, user: "ben"))
        let (first, second) = (one.allocate().relayed[0], two.allocate().relayed[0])
        one.permit(second)
        one.send([1], to: second)
        #expect(two.takeData().isEmpty, "the other has not permitted it")
        two.bind(0x4005, to: first)
        one.send([2], to: second)
        #expect(two.takeData() == [.init([2], on: 0x4005)] && scene.relays.allSatisfy(\.sent.isEmpty))
    }

    @Test("Q06 ends what a user has when they are signed out, and makes nothing new when it is about to end")
    func drains() {
        let scene = Scene()
        let (one, two) = (SceneClient(scene, 1), SceneClient(scene, 2, user: "ben"))
        one.allocate()
        two.allocate()
        scene.server.end(user: "anna")
        #expect(scene.server.counts.open == 1 && scene.openRelays == 1)
        scene.server.isDraining = true
        #expect(SceneClient(scene, 3).allocate().code == 508 && two.refresh(.seconds(600)).code == nil)
        scene.server.close()
        #expect(scene.openRelays == 0)
    }

    @Test("Q07 answers STUN's own question, and nothing that is neither")
    func binding() {
        let client = SceneClient(Scene())
        #expect(client.askOnce(STUNMethod.binding).mapped == client.address)
        client.line.sent.removeAll()
        for bytes: [UInt8] in [
            [], [0], [0x40], [0x40, 0, 0xFF, 0xFF], [0x80, 1, 2, 3], Array(repeating: 0, count: 20),
        ] {
            client.scene.hears(bytes, from: client)
        }
        #expect(client.line.sent.isEmpty)
    }
}
