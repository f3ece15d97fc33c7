import TestSupport
import Testing
import Vocabulary

@Suite("A link of the virtual network")
struct VirtualLinkTests {
    private static let target = SocketAddress(.v4(0xC633_6401), port: 9)

    /// Sends so many numbered datagrams, one each `gap`, over a link like that; what arrived.
    private static func run(
        _ profile: LinkProfile, count: Int = 1, gap: Duration = .milliseconds(20), size: Int = 100, seed: UInt64 = 1
    ) throws -> [Inbox.Letter] {
        let network = VirtualNetwork(seed: seed)
        let inbox = Inbox(network)
        let near = try network.addHost(.v4(0xC633_6402), link: profile).bind(SocketAddress(.any, port: 1), inbox)
        let far = try network.addHost(self.target.ip).bind(SocketAddress(.any, port: self.target.port), inbox)
        let padding = [UInt8](repeating: 0, count: size - 2)
        for number in 0..<count {
            near.send([UInt8(number / 256), UInt8(number % 256)] + padding, to: self.target)
            network.run(for: gap)
        }
        network.run(for: .seconds(60))
        far.close()
        return inbox.letters
    }

    private static func numbers(_ letters: [Inbox.Letter]) -> [Int] {
        letters.map { Int($0.bytes[0]) * 256 + Int($0.bytes[1]) }
    }

    @Test("A virtual link delivers after its delay")
    func delay() throws {
        let letters = try Self.run(LinkProfile(delay: .milliseconds(25)))
        #expect(letters.map(\.moment) == [Instant(milliseconds: 25)])
    }

    @Test("jitters by what it was told and keeps the order")
    func jitter() throws {
        let profile = LinkProfile(delay: .milliseconds(100), jitter: .milliseconds(10))
        let letters = try Self.run(profile, count: 5000, gap: .milliseconds(100))
        #expect(Self.numbers(letters) == Array(0..<5000))
        let delays = letters.enumerated().map { Double($1.moment.nanoseconds) / 1e6 - Double($0) * 100 }
        let mean = delays.reduce(0, +) / 5000
        let deviation = (delays.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 5000).squareRoot()
        #expect(abs(mean - 100) < 1 && abs(deviation - 10) < 1)
        let tight = try Self.run(profile, count: 1000, gap: .milliseconds(1))
        #expect(Self.numbers(tight) == Array(0..<1000))
    }

    @Test("A virtual link loses its share of the packets", arguments: [0.05, 0.2, 0.5])
    func loss(share: Double) throws {
        let arrived = try Self.run(LinkProfile(loss: .random(share)), count: 20_000).count
        #expect(abs(Double(20_000 - arrived) / 20_000 - share) < 0.02)
    }

    @Test("loses in bursts of the length and share it was told")
    func bursts() throws {
        let arrived = Set(Self.numbers(try Self.run(LinkProfile(loss: .bursts(0.1, length: 2.5)), count: 20_000)))
        let lost = (0..<20_000).filter { !arrived.contains($0) }
        let bursts = lost.filter { !lost.contains($0 - 1) || $0 == 0 }.count
        #expect(abs(Double(lost.count) / 20_000 - 0.1) < 0.02)
        #expect(abs(Double(lost.count) / Double(bursts) - 2.5) < 0.3)
    }

    @Test("lets some packets be overtaken")
    func reordering() throws {
        let profile = LinkProfile(delay: .milliseconds(50), reordering: 0.1)
        let numbers = Self.numbers(try Self.run(profile, count: 2000, gap: .milliseconds(5)))
        let late = zip(numbers, numbers.dropFirst()).filter { $0 > $1 }.count
        #expect(numbers.sorted() == Array(0..<2000))
        #expect((100...300).contains(late))
    }

    @Test("lets some packets arrive twice")
    func duplication() throws {
        let numbers = Self.numbers(try Self.run(LinkProfile(duplication: 0.1), count: 2000))
        #expect(Set(numbers).count == 2000)
        #expect((2150...2250).contains(numbers.count))
    }

    @Test("writes at its rate, queues what it can and drops the rest")
    func rate() throws {
        // 128 bytes with headers at 64 kbit/s: 16 ms each, and 10 of them wait.
        let profile = LinkProfile(bitsPerSecond: 64_000, queueLimit: 1280)
        let letters = try Self.run(profile, count: 100, gap: .zero)
        #expect(letters.count == 11)
        #expect(letters.enumerated().allSatisfy { $1.moment == Instant(milliseconds: Int64($0 + 1) * 16) })
    }

    @Test("carries nothing that is larger than it is wide")
    func mtu() throws {
        #expect(try Self.run(LinkProfile(mtu: 1280), size: 1252).count == 1)
        #expect(try Self.run(LinkProfile(mtu: 1280), size: 1253).isEmpty)
        #expect(try Self.run(.perfect, size: 1473).isEmpty)
    }

    @Test("loses what enters it or would leave it while it is down")
    func down() throws {
        let network = VirtualNetwork(seed: 1)
        let inbox = Inbox(network)
        let host = network.addHost(.v4(0xC633_6402), link: LinkProfile(delay: .milliseconds(50)))
        let near = try host.bind(SocketAddress(.any, port: 1), inbox)
        let far = try network.addHost(Self.target.ip).bind(Self.target, inbox)
        defer { far.close() }
        for number: UInt8 in 0..<4 {
            near.send([number], to: Self.target)
            network.run(for: .milliseconds(20))
            host.interfaces[0].isUp = number != 1
        }
        network.run(for: .seconds(1))
        #expect(inbox.letters.map(\.bytes) == [[1], [3]])
        #expect(network.dropCount(.linkDown) == 2)
    }

    @Test("does the same again for the same seed, and something else for another")
    func seeds() throws {
        let profile = LinkProfile(
            delay: .milliseconds(50), jitter: .milliseconds(20), loss: .bursts(0.1, length: 3), reordering: 0.05,
            duplication: 0.05)
        let first = try Self.run(profile, count: 500, seed: 7)
        #expect(try Self.run(profile, count: 500, seed: 7) == first)
        #expect(try Self.run(profile, count: 500, seed: 8) != first)
    }
}
