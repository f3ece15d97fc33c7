import TestSupport
import Testing
import Vocabulary

@Suite("A gateway of the virtual network")
struct VirtualGatewayTests {
    private static let outer = IPAddress.v4(0xCB00_7105)
    private static let inner = IPAddress.v4(0xC0A8_0102)

    /// A host behind one gateway, and a mirror on the internet.
    private struct Scene {
        let network = VirtualNetwork(seed: 1)
        let mirror: Mirror
        let gateway: VirtualGateway
        let host: VirtualHost

        init(_ behaviour: NATBehaviour) throws {
            self.mirror = try Mirror(on: self.network)
            self.gateway = self.network.addGateway(behaviour, at: VirtualGatewayTests.outer)
            self.host = self.network.addHost(VirtualGatewayTests.inner, in: self.gateway.inside)
        }

        func probe(port: UInt16 = 0) throws -> NATProbe { try NATProbe(self.network, on: self.host, port: port) }
    }

    @Test("behaves as it was told", arguments: NATBehaviour.kinds, NATBehaviour.PortChoice.allCases)
    func kinds(behaviour: NATBehaviour, ports: NATBehaviour.PortChoice) throws {
        var behaviour = behaviour
        behaviour.ports = ports
        let scene = try Scene(behaviour)
        #expect(try scene.probe().mapping() == behaviour.mapping)
        #expect(try scene.probe().filtering() == behaviour.filtering)
    }

    @Test("keeps the inner port when it is told to and the port is free")
    func preserves() throws {
        let scene = try Scene(NATBehaviour())
        #expect(try scene.probe(port: 4000).ask() == SocketAddress(Self.outer, port: 4000))
        let second = scene.network.addHost(.v4(0xC0A8_0103), in: scene.gateway.inside)
        let seen = try #require(try NATProbe(scene.network, on: second, port: 4000).ask())
        #expect(seen.ip == Self.outer && seen.port != 4000)
    }

    @Test("gives ports one after the other when it is told to")
    func sequential() throws {
        let scene = try Scene(NATBehaviour(mapping: .addressAndPortDependent, ports: .sequential))
        let probe = try scene.probe()
        let ports = try (0..<4).map { Int(try #require(probe.ask(at: $0)).port) }
        #expect(zip(ports, ports.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test("lets hosts inside reach each other by their outer addresses, or not", arguments: [true, false])
    func hairpins(does: Bool) throws {
        let scene = try Scene(NATBehaviour(filtering: .endpointIndependent, hairpins: does))
        let other = scene.network.addHost(.v4(0xC0A8_0103), in: scene.gateway.inside)
        let (near, far) = try (scene.probe(), NATProbe(scene.network, on: other))
        let (nearSeen, farSeen) = (try #require(near.ask()), try #require(far.ask()))
        near.socket.send([7], to: farSeen)
        scene.network.run(for: .seconds(1))
        #expect(far.inbox.take().map(\.peer) == (does ? [nearSeen] : []))
    }

    @Test("forgets a binding that nobody inside used for its lifetime")
    func lifetime() throws {
        let scene = try Scene(
            NATBehaviour(filtering: .endpointIndependent, ports: .random, lifetime: .seconds(30)))
        let probe = try scene.probe()
        let first = try #require(probe.ask())
        for _ in 0..<5 {
            scene.network.run(for: .seconds(20))
            #expect(probe.ask() == first)
        }
        scene.network.run(for: .seconds(31))
        let before = scene.network.dropCount(.noBinding)
        try NATProbe(scene.network, on: scene.network.addHost(.v4(0xC633_6409))).socket.send([1], to: first)
        scene.network.run(for: .seconds(1))
        #expect(scene.network.dropCount(.noBinding) == before + 1)
        #expect(probe.ask() != first)
    }

    @Test("keeps a binding alive by packets from outside only when it is told to", arguments: [true, false])
    func refreshing(does: Bool) throws {
        let scene = try Scene(
            NATBehaviour(filtering: .endpointIndependent, lifetime: .seconds(30), isRefreshedFromOutside: does))
        let probe = try scene.probe()
        let seen = try #require(probe.ask())
        let stranger = try NATProbe(scene.network, on: scene.network.addHost(.v4(0xC633_6409)))
        for _ in 0..<4 {
            scene.network.run(for: .seconds(20))
            stranger.socket.send([1], to: seen)
        }
        scene.network.run(for: .seconds(1))
        #expect(probe.inbox.take().count == (does ? 4 : 1))
    }

    @Test("gives new bindings after a restart, under a new address if there is one")
    func rebinding() throws {
        let scene = try Scene(NATBehaviour(ports: .random))
        let probe = try scene.probe()
        let first = try #require(probe.ask())
        scene.gateway.rebind()
        let second = try #require(probe.ask())
        #expect(second != first && second.ip == first.ip)
        scene.gateway.rebind(to: .v4(0xCB00_7106))
        #expect(try #require(probe.ask()).ip == .v4(0xCB00_7106))
    }

    @Test("may let no UDP through at all")
    func blocked() throws {
        let scene = try Scene(.udpBlocked)
        #expect(try scene.probe().ask() == nil)
        #expect(scene.network.dropCount(.blocked) == 1)
    }

    @Test("shows the outermost of nested gateways, and the strictest of their filters")
    func nested() throws {
        let scene = try Scene(NATBehaviour(filtering: .endpointIndependent))
        let second = scene.network.addGateway(
            NATBehaviour(filtering: .addressDependent), at: .v4(0xC0A8_0109), in: scene.gateway.inside)
        let host = scene.network.addHost(.v4(0x0A00_0002), in: second.inside)
        let probe = try NATProbe(scene.network, on: host)
        #expect(try #require(probe.ask()).ip == Self.outer)
        #expect(probe.mapping() == .endpointIndependent)
        #expect(try NATProbe(scene.network, on: host).filtering() == .addressDependent)
    }

    @Test("filters IPv6 without changing addresses", arguments: NATBehaviour.Dependence.allCases)
    func ipv6(filtering: NATBehaviour.Dependence) throws {
        let network = VirtualNetwork(seed: 1)
        let gateway = network.addGateway(NATBehaviour(filtering6: filtering), at: Self.outer)
        let (home, away) = (IPAddress.v6(0x2001_0DB8_0000_0001, 2), IPAddress.v6(0x2001_0DB8_0000_0002, 1))
        let inbox = Inbox(network)
        let near = try network.addHost(home, in: gateway.inside).bind(SocketAddress(home, port: 9), inbox)
        let farHost = network.addHost(away)
        let far = try farHost.bind(SocketAddress(away, port: 9), inbox)
        let other = try farHost.bind(SocketAddress(away, port: 10), inbox)
        func heard(_ sender: VirtualSocket, _ receiver: VirtualSocket) -> [SocketAddress] {
            sender.send([1], to: receiver.address)
            network.run(for: .seconds(1))
            return inbox.take().map(\.peer)
        }
        #expect(heard(far, near).isEmpty)
        #expect(heard(near, far) == [near.address])
        #expect(heard(far, near) == [far.address])
        #expect(heard(other, near) == (filtering == .addressAndPortDependent ? [] : [other.address]))
    }

    @Test("lets no IPv6 through when there is none")
    func noIPv6() throws {
        let network = VirtualNetwork(seed: 1)
        let gateway = network.addGateway(NATBehaviour(), at: Self.outer)
        let inbox = Inbox(network)
        let host = network.addHost(.v6(1, 1), in: gateway.inside)
        let far = network.addHost(.v6(2, 2))
        let socket = try far.bind(SocketAddress(.any6, port: 9), inbox)
        try host.bind(SocketAddress(.any6, port: 9), inbox).send([1], to: SocketAddress(.v6(2, 2), port: 9))
        socket.send([1], to: SocketAddress(.v6(1, 1), port: 9))
        network.run(for: .seconds(1))
        #expect(inbox.letters.isEmpty)
        #expect(network.dropCount(.noRoute) == 2)
    }
}
