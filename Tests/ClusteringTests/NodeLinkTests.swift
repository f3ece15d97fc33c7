import BinaryCoding
import Bytes
import TestSupport
import Testing
import Vocabulary

@testable import Clustering

/// Two ends of a connection, and what each was told.
private struct Pair {
    var dialer: NodeLink
    var acceptor: NodeLink
    let names: (dialer: RandomToken, acceptor: RandomToken)
    var events: (dialer: [NodeLink.Event], acceptor: [NodeLink.Event]) = ([], [])

    init(secrets: (String, String) = ("one", "one"), wanting wanted: RandomToken? = nil) {
        var random = SeededRandom(seed: 11)
        self.names = (RandomToken(using: &random), RandomToken(using: &random))
        self.dialer = NodeLink(
            dialing: wanted ?? self.names.acceptor, as: self.names.dialer, NodeSeal(Array(secrets.0.utf8)),
            nonce: [UInt8](repeating: 1, count: 16))
        self.acceptor = NodeLink(
            acceptingAs: self.names.acceptor, NodeSeal(Array(secrets.1.utf8)), nonce: [UInt8](repeating: 2, count: 16))
    }

    /// Gives the acceptor something, and returns its answer.
    mutating func tellAcceptor(_ bytes: [UInt8]) throws(LinkError) -> [UInt8] {
        var answer: [UInt8] = []
        try self.acceptor.received(bytes.span, answer: &answer, events: &self.events.acceptor)
        return answer
    }

    mutating func tellDialer(_ bytes: [UInt8]) throws(LinkError) -> [UInt8] {
        var answer: [UInt8] = []
        try self.dialer.received(bytes.span, answer: &answer, events: &self.events.dialer)
        return answer
    }

    mutating func open() throws(LinkError) {
        let answer = try self.tellAcceptor(self.dialer.hello())
        let proof = try self.tellDialer(answer)
        _ = try self.tellAcceptor(proof)
    }

    mutating func sent(_ number: UInt64, _ body: [UInt8] = [1, 2, 3]) throws -> [UInt8] {
        let frame = self.dialer.frame(message(number, body).encoded)
        return try #require(frame)
    }
}

private func message(_ number: UInt64, _ body: [UInt8] = [1, 2, 3]) -> NodeMessage {
    NodeMessage(series: 7, number: number, position: LedgerPosition(entry: 4, serial: 5), kind: .letter, body: body)
}

@Suite("Y15 A connection between two nodes")
struct NodeLinkTests {
    @Test("is open for both once both have proven the secret, and carries messages both ways")
    func opens() throws {
        var pair = Pair()
        try pair.open()
        #expect(pair.dialer.isOpen && pair.acceptor.isOpen)
        #expect(pair.events.dialer == [.opened(pair.names.acceptor)])
        _ = try pair.tellAcceptor(try pair.sent(1))
        #expect(pair.events.acceptor == [.opened(pair.names.dialer), .message(message(1))])
        let acknowledgement = pair.acceptor.frame(acknowledging: 7, through: 1)
        _ = try pair.tellDialer(try #require(acknowledgement))
        #expect(pair.events.dialer.last == .acknowledged(series: 7, through: 1))
    }

    @Test(
        "is refused by the dialer where the other side has another secret, before it says anything that would prove its own"
    )
    func otherSecret() throws {
        var pair = Pair(secrets: ("one", "another"))
        let answer = try pair.tellAcceptor(pair.dialer.hello())
        #expect(throws: LinkError.wrongProof) { try pair.tellDialer(answer) }
        #expect(!pair.dialer.isOpen && pair.events.dialer.isEmpty)
    }

    @Test("is refused by the acceptor where the dialer proves nothing, or what the acceptor has said")
    func noProof() throws {
        for code in [[UInt8](repeating: 0, count: 16), []] {
            var pair = Pair()
            let answer = try pair.tellAcceptor(pair.dialer.hello())
            #expect(throws: LinkError.wrongProof) {
                try pair.tellAcceptor(LinkFrame.plain(.proof, code.isEmpty ? Array(answer.suffix(16)) : code))
            }
            #expect(pair.events.acceptor.isEmpty)
        }
    }

    @Test("is refused for a node of another name, and for a later version")
    func otherNode() {
        var random = SeededRandom(seed: 12)
        var pair = Pair(wanting: RandomToken(using: &random))
        let hello = pair.dialer.hello()
        #expect(throws: LinkError.otherNode) { try pair.tellAcceptor(hello) }
        var later = Pair()
        var bytes = later.dialer.hello()
        bytes[5] = 2
        #expect(throws: LinkError.unknownVersion) { try later.tellAcceptor(bytes) }
    }

    @Test("says the same whatever the cuts of what comes")
    func cuts() throws {
        var whole = Pair()
        try whole.open()
        let stream = try whole.sent(1) + whole.sent(2, []) + whole.sent(3, [UInt8](repeating: 9, count: 300))
        for cut in 0...stream.count {
            var pair = Pair()
            try pair.open()
            _ = try pair.tellAcceptor(Array(stream[..<cut]))
            _ = try pair.tellAcceptor(Array(stream[cut...]))
            #expect(pair.events.acceptor.count == 4)
        }
        var slow = Pair()
        let hello = slow.dialer.hello()
        var answer: [UInt8] = []
        for byte in hello { answer += try slow.tellAcceptor([byte]) }
        var proof: [UInt8] = []
        for byte in answer { proof += try slow.tellDialer([byte]) }
        for byte in proof + stream { _ = try slow.tellAcceptor([byte]) }
        #expect(slow.events.acceptor.count == 4)
    }

    @Test("ends at a frame of which any bit was changed")
    func forged() throws {
        var pair = Pair()
        try pair.open()
        let frame = try pair.sent(1)
        for place in frame.indices.dropFirst(4) {
            var (copy, changed) = (pair, frame)
            changed[place] ^= 1
            #expect(throws: LinkError.self) { try copy.tellAcceptor(changed) }
            #expect(copy.events.acceptor == [.opened(pair.names.dialer)])
        }
    }

    @Test("ends at a frame that comes twice, too early, or back to its sender")
    func replayed() throws {
        var pair = Pair()
        try pair.open()
        let (first, second) = (try pair.sent(1), try pair.sent(2))
        var twice = pair
        #expect(throws: LinkError.forged) { try twice.tellAcceptor(first + first) }
        #expect(twice.events.acceptor.count == 2)
        var early = pair
        #expect(throws: LinkError.forged) { try early.tellAcceptor(second) }
        var back = pair
        #expect(throws: LinkError.forged) { try back.tellDialer(first) }
    }

    @Test("has a limit for frames, which is small as long as nothing is proven")
    func limits() throws {
        var pair = Pair()
        #expect(throws: LinkError.tooLong) { try pair.tellAcceptor([0, 0, 1, 0]) }
        var open = Pair()
        try open.open()
        #expect(throws: LinkError.tooLong) { try open.tellAcceptor([1, 0, 0, 0]) }
        var empty = Pair()
        #expect(throws: LinkError.malformed) { try empty.tellAcceptor([0, 0, 0, 0]) }
        var sender = Pair()
        try sender.open()
        let frame = sender.dialer.frame([UInt8](repeating: 0, count: LinkFrame.maximumBytes))
        #expect(frame == nil)
    }

    @Test("passes over frames of kinds that came later")
    func laterKinds() throws {
        var pair = Pair()
        try pair.open()
        let frame = pair.dialer.frame(kind: 200, [])
        _ = try pair.tellAcceptor(try #require(frame) + pair.sent(1))
        #expect(pair.events.acceptor.last == .message(message(1)))
    }
}

@Suite("Y17 A seal")
struct NodeSealTests {
    private let seal = NodeSeal(Array("secret".utf8))

    @Test("opens with the same secret on the same channel only")
    func opens() {
        let sealed = self.seal.seal("last abc 1 AAAA", on: "parley_one")
        #expect(self.seal.open(sealed, on: "parley_one") == "last abc 1 AAAA")
        #expect(self.seal.open(sealed, on: "parley_two") == nil)
        #expect(NodeSeal(Array("other".utf8)).open(sealed, on: "parley_one") == nil)
    }

    @Test("opens at no other text, however it was cut or changed")
    func forged() {
        let sealed = Array(self.seal.seal("hello", on: "parley").utf8)
        for place in sealed.indices {
            #expect(self.seal.open(String(decoding: sealed[..<place], as: UTF8.self), on: "parley") == nil)
            var changed = sealed
            changed[place] ^= 1
            #expect(self.seal.open(String(decoding: changed, as: UTF8.self), on: "parley") == nil)
        }
    }
}
