import Bytes
import ICE
import MulticastDNS
import TestSupport
import Testing
import Vocabulary

/// Hosts on one network that all hear each other, in virtual time.
private struct NameScene {
    static let link = PathID(rawValue: 0)

    private(set) var now = Instant(nanoseconds: 0)
    private(set) var found: [[NameFound]]
    private(set) var packets: [(from: SocketAddress, message: NameMessage)] = []
    var isDeaf = false
    private var hosts: [NameExchange]

    init(_ count: Int) {
        self.hosts = Array(repeating: NameExchange(), count: count)
        self.found = Array(repeating: [], count: count)
        for host in 0..<count {
            let ip = Self.address(host)
            self.tell(host) { $0.linkAdded(Self.link, to: NameExchange.group4, addresses: [ip], at: $1, into: &$2) }
        }
    }

    static func address(_ host: Int) -> IPAddress { .v4(0x0A00_0001 + UInt32(host)) }

    mutating func tell(_ host: Int, _ body: (inout NameExchange, Instant, inout Outbox<NameFound>) -> Void) {
        var outbox = Outbox<NameFound>()
        body(&self.hosts[host], self.now, &outbox)
        self.found[host] += outbox.events
        for packet in outbox.packets.packets {
            let bytes = outbox.packets.bytes(of: packet)
            self.send(bytes, from: SocketAddress(Self.address(host), port: 5353), to: packet.destination)
        }
    }

    mutating func send(_ bytes: [UInt8], from peer: SocketAddress, to destination: SocketAddress) {
        guard let message = try? NameMessage(parsing: bytes.span) else { return }
        self.packets.append((peer, message))
        guard !self.isDeaf, destination == NameExchange.group4 else { return }
        for host in self.hosts.indices {
            self.tell(host) { $0.received(bytes.span, on: Self.link, from: peer, at: $1, into: &$2) }
        }
    }

    mutating func run(_ duration: Duration) {
        let end = self.now + duration
        while let next = self.hosts.compactMap(\.deadline).min(), next <= end {
            self.now = max(self.now, next)
            for host in self.hosts.indices { self.tell(host) { $0.clockAdvanced(to: $1, into: &$2) } }
        }
        self.now = end
    }

    mutating func resolve(_ name: HostName, by host: Int) {
        self.tell(host) { $0.resolve(name, at: $1, into: &$2) }
    }

    mutating func ask(_ name: HostName, id: UInt16 = 7, fromPort port: UInt16) -> [NameMessage] {
        var writer = ByteWriter()
        NameMessage(id: id, isResponse: false, questions: [.init(name, .any)]).write(to: &writer)
        self.packets = []
        self.send(writer.bytes, from: SocketAddress(.v4(0x0A00_0099), port: port), to: NameExchange.group4)
        return self.packets.dropFirst().map(\.message)
    }
}

@Suite("Names on a network")
struct NameExchangeTests {
    private static func name(_ seed: UInt64 = 1) -> HostName {
        var random = SeededRandom(seed: seed)
        return .random(using: &random)
    }

    private static func scene(_ count: Int = 2) -> (NameScene, HostName) {
        var scene = NameScene(count)
        let name = Self.name()
        scene.tell(1) { exchange, _, _ in exchange.publish(name, NameScene.address(1)) }
        return (scene, name)
    }

    @Test("J09 are found at once by who asks, and remembered")
    func resolves() {
        var (scene, name) = Self.scene()
        scene.resolve(name, by: 0)
        #expect(scene.found[0].map(\.ip) == [NameScene.address(1)])
        let count = scene.packets.count
        scene.resolve(name, by: 0)
        #expect(scene.found[0].map(\.ip) == [NameScene.address(1), NameScene.address(1)])
        #expect(scene.packets.count == count)
        scene.run(.seconds(121))
        scene.resolve(name, by: 0)
        #expect(scene.packets.count > count)
    }

    @Test("J09 are known to who gave them without asking anybody")
    func own() {
        var (scene, name) = Self.scene()
        scene.resolve(name, by: 1)
        #expect(scene.found[1].map(\.ip) == [NameScene.address(1)])
        #expect(scene.packets.isEmpty)
    }

    @Test("J09 are asked for after 0, 1 and 3 s, and given up after 5")
    func silence() {
        var (scene, name) = Self.scene()
        scene.isDeaf = true
        scene.resolve(name, by: 0)
        scene.run(.milliseconds(4999))
        #expect(scene.packets.count == 3 && scene.found[0].isEmpty)
        scene.run(.milliseconds(1))
        #expect(scene.found[0].map(\.ip) == [nil])
    }

    @Test("J09 are not said twice within a second, and once is heard by all")
    func pace() {
        var (scene, name) = Self.scene(4)
        for host in [0, 2, 3] { scene.resolve(name, by: host) }
        scene.run(.seconds(2))
        for host in [0, 2, 3] { #expect(scene.found[host].map(\.ip) == [NameScene.address(1)]) }
        let answers = scene.packets.filter { $0.message.isResponse }
        #expect(answers.count <= 2)
    }

    @Test("J09 are forgotten when they are taken back")
    func withdrawn() {
        var (scene, name) = Self.scene()
        scene.resolve(name, by: 0)
        scene.tell(1) { $0.withdraw(name, at: $1, into: &$2) }
        #expect(scene.packets.last?.message.answers.map(\.lifetime) == [0])
        scene.resolve(name, by: 0)
        scene.run(.seconds(6))
        #expect(scene.found[0].map(\.ip) == [NameScene.address(1), nil])
    }

    @Test("J09 are told to older askers alone, with their number and question, and not in floods")
    func legacy() {
        var (scene, name) = Self.scene()
        let first = scene.ask(name, id: 99, fromPort: 40_000)
        #expect(first.map(\.id) == [99])
        #expect(first.first?.questions == [.init(name, .any)])
        #expect(first.first?.answers == [.init(name, NameScene.address(1), lifetime: 10, isAll: false)])
        #expect(scene.ask(name, fromPort: 40_000).isEmpty)
    }

    @Test("J09 are not believed from any other port, nor told for addresses that are elsewhere")
    func strangers() {
        var (scene, name) = Self.scene()
        let unknown = Self.name(2)
        scene.resolve(unknown, by: 0)
        var writer = ByteWriter()
        let lie = NameMessage.Answer(unknown, .v4(6), lifetime: 120, isAll: true)
        NameMessage(isResponse: true, answers: [lie]).write(to: &writer)
        scene.send(writer.bytes, from: SocketAddress(.v4(6), port: 5354), to: NameExchange.group4)
        #expect(scene.found[0].isEmpty)
        scene.tell(1) { $0.linkChanged(NameScene.link, addresses: [.v4(1)], at: $1, into: &$2) }
        #expect(scene.ask(name, fromPort: 5353).isEmpty)
    }

    @Test("J09 are announced when their address moves to another network")
    func moved() {
        var (scene, name) = Self.scene()
        scene.tell(1) { $0.linkChanged(NameScene.link, addresses: [], at: $1, into: &$2) }
        #expect(scene.packets.isEmpty)
        scene.tell(1) { $0.linkChanged(NameScene.link, addresses: [NameScene.address(1)], at: $1, into: &$2) }
        scene.run(.seconds(3))
        #expect(scene.packets.map(\.message.answers.first?.name) == [name, name])
    }

    @Test("J09 are not at an address that means nothing without its link")
    func linkLocal() {
        var scene = NameScene(1)
        let name = Self.name()
        scene.resolve(name, by: 0)
        let answers = [IPAddress.v6(0xFE80 << 48, 1), .v6(0x2001_0DB8 << 32, 1)].map {
            NameMessage.Answer(name, $0, lifetime: 120, isAll: true)
        }
        var writer = ByteWriter()
        NameMessage(isResponse: true, answers: answers).write(to: &writer)
        scene.send(writer.bytes, from: SocketAddress(.v4(9), port: 5353), to: NameExchange.group4)
        #expect(scene.found[0].map(\.ip) == [.v6(0x2001_0DB8 << 32, 1)])
    }

    @Test("J09 do not pile up, whoever wants them")
    func limits() {
        var scene = NameScene(1)
        for seed in 0..<100 { scene.resolve(Self.name(UInt64(seed)), by: 0) }
        #expect(scene.found[0].count == 36 && scene.found[0].allSatisfy { $0.ip == nil })
        scene.resolve(HostName("example.com")!, by: 0)
        #expect(scene.found[0].count == 37)
    }
}
