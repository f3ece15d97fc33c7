import Bytes
import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("Many agents on one socket")
struct ICEDemultiplexerTests {
    private static let place = SocketAddress(.v4(0x0A00_0001), port: 5000)

    private static func request(_ username: String) -> [UInt8] {
        var writer = STUNWriter(.request, STUNMethod.binding, TransactionID(high: 1, low: 2))
        writer.append(.username, text: username)
        writer.appendFingerprint()
        return writer.finish().bytes
    }

    @Test("J09 are told apart by the name in a check, the tag in an answer, and the address of all else")
    func routes() throws {
        var switchboard = ICEDemultiplexer()
        let isAdded = [
            switchboard.add(1, usernameFragment: "aaaa", transactionTag: 10),
            switchboard.add(2, usernameFragment: "bbbb", transactionTag: 20),
            switchboard.add(3, usernameFragment: "aaaa", transactionTag: 30),
            switchboard.add(4, usernameFragment: "dddd", transactionTag: 20),
        ]
        #expect(isAdded == [true, true, false, false])
        #expect(Self.route(Self.request("bbbb:xyz"), switchboard) == 2)
        #expect(Self.route(Self.request("cccc:xyz"), switchboard) == nil)
        #expect(Self.route(Self.request("aaaa"), switchboard) == nil)
        let answer = STUNWriter(.success, STUNMethod.binding, TransactionID(high: 10, low: 5)).finish().bytes
        #expect(Self.route(answer, switchboard) == 1)
        #expect(Self.route([0x80, 1, 2], switchboard) == nil)
        switchboard.proved(Self.place, for: 2)
        #expect(Self.route([0x80, 1, 2], switchboard) == 2)
        let dressed = SocketAddress(.v6(0, 0xFFFF_0A00_0001), port: 5000)
        #expect(Self.route([0x80, 1, 2], switchboard, from: dressed) == 2)
    }

    @Test("J09 keep their old name for one restart, and lose everything when they go")
    func restarts() {
        var switchboard = ICEDemultiplexer()
        _ = switchboard.add(1, usernameFragment: "aaaa", transactionTag: 10)
        _ = switchboard.restarted(1, usernameFragment: "bbbb")
        #expect(Self.route(Self.request("aaaa:x"), switchboard) == 1)
        _ = switchboard.restarted(1, usernameFragment: "cccc")
        #expect(Self.route(Self.request("aaaa:x"), switchboard) == nil)
        #expect(Self.route(Self.request("bbbb:x"), switchboard) == 1)
        switchboard.proved(Self.place, for: 1)
        switchboard.remove(1)
        #expect(switchboard.count == 0)
        #expect(Self.route(Self.request("cccc:x"), switchboard) == nil)
        #expect(Self.route([0x80, 1], switchboard) == nil)
    }

    @Test("J09 are remembered at so many addresses each, and by the latest")
    func addresses() {
        var switchboard = ICEDemultiplexer()
        _ = switchboard.add(1, usernameFragment: "aaaa", transactionTag: 10)
        _ = switchboard.add(2, usernameFragment: "bbbb", transactionTag: 20)
        switchboard.proved(Self.place, for: 2)
        let many = (0..<1000).map { SocketAddress(.v4(0x0B00_0000 + UInt32($0)), port: 9) }
        for address in many { switchboard.proved(address, for: 1) }
        #expect(many.count { switchboard.holder(of: $0) == 1 } == 64)
        #expect(many.last.flatMap { switchboard.holder(of: $0) } == 1)
        #expect(switchboard.holder(of: Self.place) == 2)
    }

    @Test("J09 two hundred calls share two sockets and none hears another's packets")
    func crowd() {
        var random = SeededRandom(seed: 5)
        var outbox = Outbox<ICEEvent>()
        var agents: [[ICEAgent]] = [[], []]
        var switchboards = [ICEDemultiplexer(), ICEDemultiplexer()]
        let places = [Self.place, SocketAddress(.v4(0x0A00_0002), port: 6000)]
        let start = Instant(nanoseconds: 0)
        for call in 0..<200 {
            for side in 0..<2 {
                let role: ICERole = side == 0 ? .controlling : .controlled
                var agent = ICEAgent(
                    role, ICECredentials(using: &random), random: SeededRandom(seed: UInt64(call * 2 + side)))
                agent.pathAdded(ICEPath(PathID(rawValue: 0), address: places[side]), at: start, into: &outbox)
                let isAdded = switchboards[side].add(
                    call, usernameFragment: agent.credentials.usernameFragment,
                    transactionTag: agent.transactionTag)
                #expect(isAdded)
                agents[side].append(agent)
            }
        }
        outbox.removeAll()
        var flying: [(side: Int, bytes: [UInt8])] = []
        for call in 0..<200 {
            for side in 0..<2 {
                let other = agents[1 - side][call].credentials
                agents[side][call].remoteDescribed(other, at: start, into: &outbox)
                let line = "candidate:1 1 udp 2113929471 \(places[1 - side].ip) \(places[1 - side].port) typ host"
                if let candidate = ICECandidate(line) {
                    agents[side][call].candidateReceived(candidate, at: start, into: &outbox)
                }
                flying += outbox.packets.packets.map { (1 - side, outbox.packets.bytes(of: $0)) }
                outbox.removeAll()
            }
        }
        while let packet = flying.popLast() {
            let from = places[1 - packet.side]
            guard let call = switchboards[packet.side].route(packet.bytes.span, from: from) else { continue }
            _ = agents[packet.side][call].received(
                packet.bytes.span, on: PathID(rawValue: 0), from: from, at: start, into: &outbox)
            flying += outbox.packets.packets.map { (1 - packet.side, outbox.packets.bytes(of: $0)) }
            outbox.removeAll()
        }
        let connected = agents.map { side in side.count { $0.snapshot.transport.selectedCandidatePairId != nil } }
        #expect(connected == [200, 200])
    }

    private static func route(
        _ packet: [UInt8], _ switchboard: ICEDemultiplexer, from address: SocketAddress = Self.place
    ) -> Int? {
        switchboard.route(packet.span, from: address)
    }
}
