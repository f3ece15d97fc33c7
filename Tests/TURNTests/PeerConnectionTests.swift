import STUN
import TURN
import TestSupport
import Testing
import Vocabulary

/// RFC 6062.
@Suite("A TURN server with peers by TCP")
struct PeerConnectionTests {
    typealias Scene = TURNServerScene

    /// A client with a relayed address by TCP, and another connection of the same user.
    private func allocated(_ change: (inout TURNServerSettings) -> Void = { _ in }) throws -> (
        scene: Scene, client: SceneClient, data: SceneClient, relay: SceneStreamRelay
    ) {
        let scene = Scene(change)
        let client = SceneClient(scene, 1, isStream: true)
        try #require(client.allocateStreams().code == nil)
        return (scene, client, SceneClient(scene, 2, isStream: true), try #require(scene.streamRelays.first))
    }

    /// Asks for a connection that succeeds at once.
    private func connect(_ client: SceneClient, _ relay: SceneStreamRelay, to peer: SocketAddress = Scene.peer) throws
        -> (
            id: UInt32, stream: ScenePeerStream
        )
    {
        _ = client.connect(to: peer)
        let stream = try #require(relay.settle(at: client.scene.now))
        return (try #require(client.reply().connection), stream)
    }

    @Test("Q13 gives an address for connections to a client that came by one, and to no other")
    func allocates() {
        let scene = Scene()
        let client = SceneClient(scene, 1, isStream: true)
        #expect(client.allocateStreams().relayed == [SocketAddress(Scene.server, port: 50_000)])
        #expect(SceneClient(scene, 2).allocateStreams().code == 400)
        #expect(SceneClient(scene, 3, isStream: true).allocateStreams { $0.append(.evenPort, UInt8(0)) }.code == 400)
        #expect(
            SceneClient(scene, 4, isStream: true).ask(STUNMethod.allocate) { $0.append(requestedTransport: 33) }.code
                == 442)
    }

    @Test("Q13 opens a connection to a peer, which the client's second connection takes once")
    func connects() throws {
        let (scene, client, data, relay) = try self.allocated()
        let (id, stream) = try self.connect(client, relay)
        #expect(data.take(id).code == nil)
        #expect(data.line.joined === stream && scene.server.counts.connections == 1)
        #expect(SceneClient(scene, 3, isStream: true).take(id).code == 400)
        #expect(client.connect(to: Scene.peer).code == 446)
    }

    @Test("Q13 answers a connection that cannot be made with 447, and may be asked again")
    func fails() throws {
        let (scene, client, _, relay) = try self.allocated()
        _ = client.connect(to: Scene.peer)
        relay.settle(at: scene.now, succeeds: false)
        #expect(client.reply().code == 447)
        _ = try self.connect(client, relay)
    }

    @Test("Q13 tells of a peer that connects, where it is permitted")
    func isConnectedTo() throws {
        let (scene, client, data, relay) = try self.allocated()
        #expect(scene.peer(Scene.peer, connectsTo: relay)?.isClosed == true)
        client.permit(Scene.peer)
        client.line.sent.removeAll()
        let stream = try #require(scene.peer(Scene.peer, connectsTo: relay))
        let bytes = try #require(client.line.sent.last)
        let told = try STUNMessage(parsing: bytes.span)
        let (method, peer, number) = (told.type.method, told.address(of: .xorPeerAddress), client.reply().connection)
        #expect(method == STUNMethod.connectionAttempt && peer == Scene.peer)
        let id = try #require(number)
        #expect(data.take(id).code == nil && data.line.joined === stream)
    }

    @Test("Q13 keeps a connection that nobody takes for half a minute")
    func isNotTaken() throws {
        let (scene, client, data, relay) = try self.allocated()
        let (id, stream) = try self.connect(client, relay)
        scene.pass(.seconds(29))
        #expect(!stream.isClosed)
        scene.pass(.seconds(1))
        #expect(stream.isClosed && data.take(id).code == 400 && scene.server.counts.connections == 0)
    }

    @Test("Q13 gives a connection to its own user only, also after the user's name has ended")
    func belongsToItsUser() throws {
        let (scene, client, _, relay) = try self.allocated()
        let data = SceneClient(scene, 5, isStream: true)
        scene.pass(.seconds(595))
        client.refresh(.seconds(600))
        scene.pass(.seconds(10))
        let (id, _) = try self.connect(client, relay)
        #expect(SceneClient(scene, 6, user: "mallory", isStream: true).take(id).code == 441)
        #expect(data.take(id).code == nil)
    }

    @Test("Q13 ends connections with their allocation, and forgets one whose client has left")
    func ends() throws {
        let (scene, client, data, relay) = try self.allocated()
        let (id, taken) = try self.connect(client, relay)
        data.take(id)
        let (_, waiting) = try self.connect(client, relay, to: SocketAddress(Scene.peer.ip, port: 7))
        scene.server.ended(data.line, of: data.address)
        #expect(taken.isClosed && scene.server.counts.connections == 1)
        _ = client.connect(to: SocketAddress(Scene.peer.ip, port: 8))
        client.refresh(.zero)
        #expect(waiting.isClosed && relay.isClosed && scene.server.counts.connections == 0)
        #expect(relay.settle(at: scene.now)?.isClosed == true, "what comes too late is closed")
    }

    @Test("Q13 CVE-2020-26262 connects to nothing of its own host or of private networks, but to other relays")
    func refusesInside() throws {
        let (scene, client, _, relay) = try self.allocated()
        for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"] {
            let ip = try #require(IPAddress(address))
            #expect(client.connect(to: SocketAddress(ip, port: 80)).code == 403, "\(address)")
        }
        #expect(client.connect(to: SocketAddress(Scene.server, port: 22)).code == 403)
        #expect(client.connect(to: Scene.peer6).code == 443)
        let neighbour = SceneClient(scene, 7, isStream: true).allocateStreams()
        _ = client.connect(to: try #require(neighbour.relayed.first))
        #expect(relay.wanted.count == 1)
    }

    @Test("Q13 has so many connections of an allocation and no more: connections of an allocation with peers")
    func quota() throws {
        let (_, client, _, relay) = try self.allocated { $0.connectionsPerAllocation = 3 }
        for port in 1...3 as ClosedRange<UInt16> {
            _ = try self.connect(client, relay, to: SocketAddress(Scene.peer.ip, port: port))
        }
        #expect(client.connect(to: Scene.peer).code == 508)
    }

    @Test("Q13 relays no datagrams where connections were asked for")
    func takesNoDatagrams() throws {
        let (scene, client, _, _) = try self.allocated()
        client.permit(Scene.peer)
        client.send([1, 2, 3], to: Scene.peer)
        #expect(scene.server.counts.dropped == 1)
        #expect(SceneClient(scene, 9).connect(to: Scene.peer).code == 437)
    }
}
