import STUN
import TURN
import Vocabulary
import Testing

private typealias Scene = TURNServerScene
private typealias Client = SceneClient

@Suite("Credentials of a TURN server for one seat in a room or a call")
struct TURNSeatTests {
    private static let seated = "anna~VGhlIHNlYXQgb2YgQW5uYQ"
    private static let seat = RelaySeat(text: "VGhlIHNlYXQgb2YgQW5uYQ")

    @Test("Q14.quota have a part of what their user may have, and count for the user as well")
    func quotas() {
        let scene = Scene {
            $0.allocationsPerUser = 3
            $0.allocationsPerSeat = 2
        }
        #expect((1...3).map { Client(scene, $0, user: Self.seated).allocate().code } == [nil, nil, 486])
        #expect(Client(scene, 4, user: "anna~another").allocate().code == nil)
        #expect(Client(scene, 5, user: "anna").allocate().code == 486)
        #expect(Client(scene, 6, user: "ben").allocate().code == nil)
    }

    @Test("Q14.quota carry half of what their user may send, and the other half is left")
    func bandwidth() {
        let scene = Scene { $0.bytesPerSecondPerUser = 2000 }
        let clients = [Client(scene, 1, user: Self.seated), Client(scene, 2, user: "anna~another")]
        for (index, client) in clients.enumerated() {
            client.allocate()
            client.bind(0x4000, to: Scene.peer)
            for _ in 0..<10 { client.send([UInt8](repeating: 0, count: 500), on: 0x4000) }
            #expect(scene.relays[index].sent.count == 4)
        }
    }

    @Test("Q14.ends end with their seat: what is relayed, refreshes, and new allocations")
    func ends() {
        let scene = Scene()
        let (client, other) = (Client(scene, 1, user: Self.seated), Client(scene, 2, user: "anna~another"))
        let whole = Client(scene, 3, user: "anna")
        for each in [client, other, whole] { #expect(each.allocate().code == nil) }
        #expect(client.refresh(.seconds(600)).code == nil)
        scene.server.end(Self.seat, at: scene.now)
        #expect(scene.openRelays == 2)
        #expect(client.refresh(.seconds(600)).code == 403)
        #expect(client.allocate().code == 403)
        #expect(Client(scene, 4, user: Self.seated, lasts: .seconds(300)).allocate().code == 403, "another name of it")
        for each in [other, whole] { #expect(each.refresh(.seconds(600)).code == nil) }
        // As long as there may be credentials for it.
        scene.pass(.seconds(601))
        #expect(client.allocate().code == 401)
    }

    @Test("Q14.ends go with their user, whatever they are for")
    func user() {
        let scene = Scene()
        for (number, name) in [Self.seated, "anna", "ben"].enumerated() {
            Client(scene, UInt8(number), user: name).allocate()
        }
        scene.server.end(user: "anna")
        #expect(scene.openRelays == 1)
    }

    @Test("Q14.ours are of our own making: a name that an application makes is a name")
    func foreign() {
        let secret = Array("of an application, and long enough".utf8)
        let scene = Scene {
            $0.secrets.append(secret)
            $0.allocationsPerSeat = 1
        }
        #expect((1...2).map { Client(scene, $0, user: Self.seated, secret: secret).allocate().code } == [nil, nil])
        scene.server.end(Self.seat, at: scene.now)
        #expect(scene.openRelays == 2)
    }
}
