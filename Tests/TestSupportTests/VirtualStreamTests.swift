import TestSupport
import Testing
import Vocabulary

@Suite("A stream of the virtual network")
struct VirtualStreamTests {
    /// One end, and what it heard.
    private final class End: VirtualStreamHandler {
        var stream: VirtualStream?
        private(set) var bytes: [UInt8] = []
        private(set) var connectedAt: Instant?
        private(set) var endedAt: Instant?
        private unowned let network: VirtualNetwork

        init(_ network: VirtualNetwork) { self.network = network }

        func connected(_ stream: VirtualStream) { self.connectedAt = self.network.now }
        func received(_ bytes: [UInt8], on stream: VirtualStream) { self.bytes += bytes }
        func ended(_ stream: VirtualStream) { self.endedAt = self.network.now }
    }

    private static let door = SocketAddress(.v4(0xC633_6401), port: 3478)

    /// A caller behind a gateway, and a server.
    private struct Scene {
        let network = VirtualNetwork(seed: 1)
        let host: VirtualHost
        let near: End
        let far: End

        init(_ behaviour: NATBehaviour = NATBehaviour(), link: LinkProfile = LinkProfile(delay: .milliseconds(25))) {
            let gateway = self.network.addGateway(behaviour, at: .v4(0xCB00_7105))
            self.host = self.network.addHost(.v4(0xC0A8_0102), in: gateway.inside, link: link)
            self.near = End(self.network)
            self.far = End(self.network)
            let far = self.far
            self.network.addHost(VirtualStreamTests.door.ip).listen(on: VirtualStreamTests.door) { stream in
                far.stream = stream
                return far
            }
        }

        func connect(to address: SocketAddress = VirtualStreamTests.door) {
            self.near.stream = self.host.connect(to: address, from: .v4(0xC0A8_0102), self.near)
            self.network.run(for: .seconds(30))
        }
    }

    @Test("opens in a round trip and shows the gateway's address")
    func opens() throws {
        let scene = Scene()
        scene.connect()
        #expect(scene.near.connectedAt == Instant(milliseconds: 50))
        #expect(scene.far.stream?.peer.ip == .v4(0xCB00_7105))
    }

    @Test("carries everything in order, whatever is lost on the way")
    func order() throws {
        let scene = Scene(link: LinkProfile(delay: .milliseconds(25), jitter: .milliseconds(10), loss: .random(0.2)))
        scene.connect()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        for start in stride(from: 0, to: bytes.count, by: 10_000) {
            scene.near.stream?.write(Array(bytes[start..<(start + 10_000)]))
            scene.network.run(for: .milliseconds(10))
        }
        scene.network.run(for: .seconds(60))
        #expect(scene.far.bytes == bytes)
        scene.far.stream?.write([1, 2, 3])
        scene.far.stream?.close()
        scene.network.run(for: .seconds(60))
        #expect(scene.near.bytes == [1, 2, 3])
        #expect(scene.near.endedAt != nil)
    }

    @Test("passes where UDP does not, and not where TCP does not either", arguments: [true, false])
    func gateways(passesTCP: Bool) {
        let scene = Scene(NATBehaviour(passesUDP: false, passesTCP: passesTCP))
        scene.connect()
        #expect((scene.near.connectedAt != nil) == passesTCP)
        #expect((scene.near.endedAt != nil) == !passesTCP)
    }

    @Test("gives up where nobody takes connections")
    func nobody() {
        let scene = Scene()
        scene.connect(to: SocketAddress(Self.door.ip, port: 9))
        #expect(scene.near.endedAt == Instant(milliseconds: 15_000))
    }

    @Test("is silent once a link on the way was down")
    func down() {
        let scene = Scene()
        scene.connect()
        scene.host.interfaces[0].isUp = false
        scene.near.stream?.write([1])
        scene.host.interfaces[0].isUp = true
        scene.near.stream?.write([2])
        scene.network.run(for: .seconds(60))
        #expect(scene.far.bytes.isEmpty)
    }
}
