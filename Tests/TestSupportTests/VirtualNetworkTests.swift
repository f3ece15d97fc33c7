import TestSupport
import Testing
import Vocabulary

@Suite("The virtual network")
struct VirtualNetworkTests {
    /// Sleeps for a while, notes when it woke, and sleeps again.
    private final class Sleeper: VirtualSleeper {
        private(set) var moments: [Instant] = []

        func woken(at now: Instant) { self.moments.append(now) }
    }

    @Test("wakes at the last deadline that was set, and only once")
    func alarms() {
        let network = VirtualNetwork(seed: 1)
        let sleeper = Sleeper()
        let alarm = network.makeAlarm(for: sleeper)
        for milliseconds: Int64 in [50, 20, 90, 70] { alarm.set(Instant(milliseconds: milliseconds)) }
        network.run(for: .milliseconds(200))
        #expect(sleeper.moments == [Instant(milliseconds: 70)])
        alarm.set(Instant(milliseconds: 300))
        alarm.set(nil)
        network.run(for: .milliseconds(200))
        #expect(sleeper.moments.count == 1)
        alarm.set(Instant(milliseconds: 10))
        network.run(for: .zero)
        #expect(sleeper.moments == [Instant(milliseconds: 70), Instant(milliseconds: 400)])
    }

    @Test("does what was planned for a moment at that moment, in the order of planning")
    func plans() {
        let network = VirtualNetwork(seed: 1)
        var heard: [String] = []
        network.after(.milliseconds(20)) { heard.append("third") }
        network.after(.milliseconds(10)) { heard.append("first") }
        network.after(.milliseconds(10)) { heard.append("second") }
        #expect(network.run(until: Instant(milliseconds: 15)) { heard.count == 2 })
        #expect(network.now == Instant(milliseconds: 10))
        #expect(!network.run(until: Instant(milliseconds: 15)) { heard.count == 3 })
        #expect(network.now == Instant(milliseconds: 15))
        network.run(for: .seconds(1))
        #expect(heard == ["first", "second", "third"])
    }

    @Test("opens sockets only on addresses the host has, and each only once")
    func binding() throws {
        let network = VirtualNetwork(seed: 1)
        let inbox = Inbox(network)
        let host = network.addHost(.v4(1), .v6(1, 1))
        #expect(throws: VirtualSocketError.addressNotAvailable) {
            try host.bind(SocketAddress(.v4(2), port: 1), inbox)
        }
        let socket = try host.bind(SocketAddress(.v4(1), port: 1), inbox)
        #expect(throws: VirtualSocketError.addressInUse) { try host.bind(SocketAddress(.v4(1), port: 1), inbox) }
        _ = try host.bind(SocketAddress(.v6(1, 1), port: 1), inbox)
        socket.close()
        _ = try host.bind(SocketAddress(.v4(1), port: 1), inbox)
    }

    @Test("carries datagrams between sockets of one host and never within a call")
    func loopback() throws {
        let network = VirtualNetwork(seed: 1)
        let host = network.addHost(.v4(1))
        let inbox = Inbox(network)
        inbox.answers = true
        let near = try host.bind(SocketAddress(.v4(1), port: 1), inbox)
        let far = try host.bind(SocketAddress(.v4(1), port: 2), inbox)
        near.send([1], to: far.address)
        #expect(inbox.letters.isEmpty)
        _ = network.run(until: Instant(milliseconds: 1)) { inbox.letters.count == 1000 }
        #expect(inbox.letters.prefix(2).map(\.peer.port) == [1, 2])
    }

    @Test("leaves by the interface whose address the socket has, or by the first that is up")
    func interfaces() throws {
        let network = VirtualNetwork(seed: 1)
        let host = network.addHost(.v4(1), link: LinkProfile(delay: .milliseconds(1)))
        let second = network.addInterface([.v4(2)], to: host, link: LinkProfile(delay: .milliseconds(2)))
        let inbox = Inbox(network)
        let far = try network.addHost(.v4(9)).bind(SocketAddress(.any, port: 9), inbox)
        let sockets = try [IPAddress.any, .v4(1), .v4(2)].enumerated().map {
            try host.bind(SocketAddress($1, port: UInt16($0 + 1)), inbox)
        }
        func heard() -> [IPAddress] {
            for socket in sockets { socket.send([0], to: SocketAddress(.v4(9), port: far.address.port)) }
            network.run(for: .seconds(1))
            return inbox.take().map(\.peer.ip)
        }
        #expect(heard() == [.v4(1), .v4(1), .v4(2)])
        host.interfaces[0].isUp = false
        #expect(heard() == [.v4(2), .v4(2)])
        second.remove(.v4(2))
        second.add(.v4(3))
        #expect(heard() == [.v4(3)])
        #expect(host.addresses == [.v4(3)])
    }

    @Test("shows its watcher every datagram and what became of it")
    func watching() throws {
        let network = VirtualNetwork(seed: 1)
        var seen: [VirtualSighting.Event] = []
        network.watcher = { seen.append($0.event) }
        let inbox = Inbox(network)
        let near = try network.addHost(.v4(1)).bind(SocketAddress(.any, port: 1), inbox)
        let far = try network.addHost(.v4(2)).bind(SocketAddress(.any, port: 2), inbox)
        near.send([1], to: SocketAddress(.v4(2), port: far.address.port))
        near.send([1], to: SocketAddress(.v4(2), port: 3))
        near.send([1], to: SocketAddress(.v4(3), port: 3))
        network.run(for: .seconds(1))
        #expect(seen == [.sent, .sent, .sent, .dropped(.noRoute), .delivered, .dropped(.noListener)])
    }
}
