import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("A TURN client")
struct TURNClientTests {
    @Test(
        "gets an address of its own, over datagrams and over streams", arguments: TURNTransport.allCases, [false, true])
    func allocates(transport: TURNTransport, modern: Bool) throws {
        let scene = try TURNScene(TURNSettings(transport: transport)) { $0.isModern = modern }
        let allocation = try #require(scene.allocate())
        #expect(allocation.relayed.map(\.ip) == [TURNScene.address4])
        #expect(allocation.mapped?.ip == .v4(0xCB00_7105))
        #expect(scene.caller.events == [.allocated(allocation)])
        #expect(scene.server.answerCounts == [401: 1, 200: 1])
    }

    @Test("gets an address of each family at once, and says why where it does not")
    func families() throws {
        let both = TURNSettings(families: [.ipv4, .ipv6])
        #expect(try TURNScene(both).allocate()?.relayed.map(\.ip) == [TURNScene.address4, TURNScene.address6])
        let lacking = try #require(try TURNScene(both, temper: { $0.families = [.ipv4] }).allocate())
        #expect(lacking.relayed.map(\.ip) == [TURNScene.address4])
        #expect(lacking.missing == .addressFamilyNotSupported)
        let old = try #require(try TURNScene(both, temper: { $0.grantsBoth = false }).allocate())
        #expect(old.relayed.map(\.ip) == [TURNScene.address4] && old.missing == nil)
        let six = try TURNScene(TURNSettings(families: [.ipv6])).allocate()
        #expect(six?.relayed.map(\.ip) == [TURNScene.address6])
    }

    @Test("is content with one family where two are too much for the server")
    func oneFamily() throws {
        let settings = TURNSettings(families: [.ipv6, .ipv4])
        let scene = try TURNScene(settings) { $0.families = [.ipv6] }
        #expect(scene.allocate()?.relayed.map(\.ip) == [TURNScene.address6])
    }

    @Test("speaks with peers of both families through the relay", arguments: TURNTransport.allCases)
    func speaks(transport: TURNTransport) throws {
        let scene = try TURNScene(TURNSettings(transport: transport, families: [.ipv4, .ipv6]))
        let relayed = try #require(scene.allocate()).relayed
        #expect(scene.echoes() && scene.echoes(TURNScene.peer6))
        #expect(scene.peers.flatMap(\.letters).map(\.peer) == relayed)
        #expect(scene.caller.take().contains(.permitted(TURNScene.peer6.ip)))
        scene.caller.bindChannel(to: TURNScene.peer4)
        scene.run(.seconds(1))
        #expect(scene.caller.take() == [.channelBound(TURNScene.peer4)])
        let before = scene.caller.sentBytes
        scene.caller.send([1, 2, 3], to: TURNScene.peer4)
        scene.run(.seconds(1))
        #expect(scene.caller.sentBytes - before == (transport.isStream ? 8 : 7))
        #expect(scene.caller.takeLetters().map(\.payload) == [[1, 2, 3]])
    }

    @Test("loses no round trip to asking for permission")
    func firstPacket() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        let start = scene.network.now
        #expect(scene.echoes())
        #expect(scene.peers[0].moments == [start + .milliseconds(20)])
    }

    @Test("does not speak with whom its relay cannot reach")
    func wrongFamily() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        #expect(!scene.echoes(TURNScene.peer6))
        #expect(scene.server.answerCounts == [401: 1, 200: 1])
    }

    @Test("treats an IPv4 address in IPv6 dress as what it is")
    func mapped() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        let dressed = SocketAddress(.v6(0, 0xFFFF_C000_0207), port: 4000)
        scene.caller.send([9], to: dressed)
        scene.run(.seconds(1))
        #expect(scene.caller.takeLetters() == [TURNCaller.Letter(peer: TURNScene.peer4, payload: [9])])
    }

    @Test("keeps the allocation, permissions and channels alive for as long as they are wanted")
    func keepsAlive() throws {
        let scene = try TURNScene { $0.nonceLife = .seconds(100) }
        _ = scene.allocate()
        scene.caller.bindChannel(to: TURNScene.peer4)
        scene.caller.permit(TURNScene.peer4.ip)
        for _ in 0..<120 {
            scene.run(.seconds(59))
            #expect(scene.echoes())
        }
        #expect(scene.caller.take().count == 3)
        #expect(scene.server.answerCounts[438, default: 0] > 10)
    }

    @Test("tells its server when it goes")
    func closes() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        #expect(scene.server.allocationCount == 1)
        scene.caller.close()
        scene.run(.seconds(1))
        #expect(scene.server.allocationCount == 0)
        #expect(scene.caller.take().last == .closed && scene.caller.client.isClosed)
        #expect(scene.caller.client.deadline == nil)
    }

    @Test("lets go of an address it does not speak with any more")
    func forgets() throws {
        let scene = try TURNScene()
        _ = scene.allocate()
        #expect(scene.echoes())
        scene.caller.forget(TURNScene.peer4.ip)
        scene.run(.seconds(301))
        scene.peers[0].socket?.send([1], to: try #require(scene.caller.allocation).relayed[0])
        scene.run(.seconds(1))
        #expect(scene.caller.takeLetters().isEmpty)
        #expect(scene.echoes())
    }
}
