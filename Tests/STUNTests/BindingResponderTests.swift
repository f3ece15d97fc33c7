import Bytes
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("The STUN service")
struct BindingResponderTests {
    private static let transaction = TransactionID(high: 0xB7E7_A701, low: 0xBC34_D686_FA87_DFAE)
    private static let peer = SocketAddress(.v4(0xC000_0201), port: 32853)

    private static func request(_ attributes: [UInt8] = []) -> [UInt8] {
        var writer = ByteWriter()
        STUNHeader(STUNMessageType(.request), attributesLength: attributes.count, self.transaction).write(to: &writer)
        writer.write(contentsOf: attributes)
        return writer.bytes
    }

    private static func answer(_ datagram: [UInt8], from peer: SocketAddress = Self.peer) -> [UInt8]? {
        var writer = ByteWriter()
        var random = SeededRandom(seed: 1)
        var responder = BindingResponder(using: &random)
        let isAnswered = responder.answer(
            datagram.span, from: peer, at: Instant(nanoseconds: 0), into: &writer)
        return isAnswered ? writer.bytes : nil
    }

    @Test("J09 tells an IPv4 client the address of RFC 5769's example, hidden as it is there")
    func ipv4() throws {
        let answer = try #require(Self.answer(Self.request()))
        #expect(Hex.encode(answer.prefix(2)) == "0101")
        #expect(Hex.encode(answer.dropFirst(20)) == "002000080001a147e112a643")
    }

    @Test("J09 tells an IPv6 client the address of RFC 5769's example")
    func ipv6() throws {
        let ip = try #require(IPAddress("2001:db8:1234:5678:11:2233:4455:6677"))
        let answer = try #require(Self.answer(Self.request(), from: SocketAddress(ip, port: 32853)))
        #expect(Hex.encode(answer.dropFirst(20)) == "002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9")
    }

    @Test("tells an IPv4 client of a socket for both its IPv4 address")
    func mapped() throws {
        let ip = try #require(IPAddress("::ffff:192.0.2.1"))
        let answer = try #require(Self.answer(Self.request(), from: SocketAddress(ip, port: 32853)))
        #expect(Hex.encode(answer.dropFirst(20)) == "002000080001a147e112a643")
    }

    @Test("names what it does not understand and must, and ignores what it need not")
    func unknown() throws {
        let refused = try #require(Self.answer(Self.request([0x00, 0x99, 0, 1, 0xFF, 0, 0, 0])))
        #expect(Hex.encode(refused.prefix(2)) == "0111")
        #expect(Hex.encode(refused.dropFirst(20)) == "0009000400000414000a000200990000")
        let answered = try #require(Self.answer(Self.request([0x80, 0x22, 0, 3, 1, 2, 3, 0])))
        #expect(Hex.encode(answered.prefix(2)) == "0101")
    }

    @Test("says nothing to what is no Binding request")
    func silence() {
        let good = Self.request([0x80, 0x22, 0, 3, 1, 2, 3, 0])
        for count in 0..<good.count { #expect(Self.answer(Array(good.prefix(count))) == nil) }
        #expect(Self.answer(good + [0]) == nil)
        for type: UInt8 in [0x11, 0x03] { #expect(Self.answer([0, type] + good.dropFirst(2)) == nil) }
        #expect(Self.answer([1, 1] + good.dropFirst(2)) == nil)
        #expect(Self.answer([0x80, 1] + good.dropFirst(2)) == nil)
        #expect(Self.answer(Array(good[..<4]) + [0, 0, 0, 0] + good[8...]) == nil)
    }

    @Test("never answers with more than three times the request, whatever comes", arguments: 0..<50)
    func neverAmplifies(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var datagram = Self.request(random.bytes(4 * Int.random(in: 0...16, using: &random)))
            if Bool.random(using: &random) { datagram[Int.random(in: 0..<datagram.count, using: &random)] ^= 0x41 }
            let answer = Self.answer(datagram)
            #expect((answer?.count ?? 0) <= 3 * datagram.count)
        }
    }

    @Test("J09 answers one client prefix so often in a second, and the others all the same")
    func limited() {
        var random = SeededRandom(seed: 3)
        var responder = BindingResponder(limit: 10, using: &random)
        var writer = ByteWriter()
        let request = Self.request()
        func answers(_ ip: IPAddress, at second: Int64) -> Int {
            (0..<20).count { port in
                responder.answer(
                    request.span, from: SocketAddress(ip, port: UInt16(port)),
                    at: Instant(milliseconds: second * 1000 + Int64(port)), into: &writer)
            }
        }
        #expect(answers(.v4(0xC000_0201), at: 1) == 10)
        #expect(answers(.v4(0xC000_0202), at: 1) == 10)
        #expect(answers(.v4(0xC000_0201), at: 2) == 10)
        #expect(answers(.v6(0x2001_0DB8_0000_0001, 1), at: 2) == 10)
        #expect(answers(.v6(0x2001_0DB8_0000_0001, 2), at: 2) == 0)
        #expect(answers(.v6(0x2001_0DB8_0000_0002, 1), at: 2) == 10)
        #expect(answers(.loopback, at: 2) == 20)
        #expect(responder.refused == 70)
    }

    @Test("J09 signs its answer with a checksum when the question had one, and ignores one that is wrong")
    func fingerprint() throws {
        var writer = STUNWriter(.request, STUNMethod.binding, Self.transaction)
        writer.appendFingerprint()
        let request = writer.finish().bytes
        let answer = try #require(Self.answer(request))
        let message = try STUNMessage(parsing: answer.span)
        let isRight = message.hasRightFingerprint
        #expect(isRight)
        #expect(Self.answer(request.dropLast() + [request[request.count - 1] ^ 1]) == nil)
    }

    @Test("message types are taken apart and put together again", arguments: STUNMessageType.Class.allCases)
    func types(kind: STUNMessageType.Class) {
        for method: UInt16 in 0..<0x1000 {
            let type = STUNMessageType(kind, method: method)
            #expect(STUNMessageType(rawValue: type.rawValue) == type)
        }
    }
}
