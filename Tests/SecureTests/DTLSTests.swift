import Secure
import TestSupport
import Testing

/// Two DTLS sessions and what lies between them.
final class DTLSPair {
    let client: DTLSSession
    let server: DTLSSession
    private(set) var heardByClient: [[UInt8]] = []
    private(set) var heardByServer: [[UInt8]] = []
    private(set) var datagramSizes: [Int] = []
    /// What becomes of a datagram, by its number.
    var loses: (Int) -> Bool = { _ in false }

    init(_ client: DTLSContext, _ server: DTLSContext, retries: DTLSRetries = DTLSRetries()) throws {
        self.client = try DTLSSession(client, role: .client, retries: retries)
        self.server = try DTLSSession(server, role: .server, retries: retries)
    }

    convenience init() throws {
        let identities = try (0..<2).map { _ in try SelfSignedIdentity(names: ["peer"]) }
        try self.init(DTLSContext(peerWith: identities[0]), DTLSContext(peerWith: identities[1]))
    }

    /// Carries datagrams until nobody says anything more.
    func carry() throws {
        while true {
            let (up, down) = (self.client.takeDatagrams(), self.server.takeDatagrams())
            guard !up.isEmpty || !down.isEmpty else { return }
            for datagram in self.surviving(up) {
                try self.server.receive(datagram.span) { self.heardByServer.append([UInt8](unsafeCopying: $0)) }
            }
            for datagram in self.surviving(down) {
                try self.client.receive(datagram.span) { self.heardByClient.append([UInt8](unsafeCopying: $0)) }
            }
        }
    }

    private func surviving(_ datagrams: [[UInt8]]) -> [[UInt8]] {
        datagrams.filter {
            self.datagramSizes.append($0.count)
            return !self.loses(self.datagramSizes.count - 1)
        }
    }

    func connect() throws {
        try self.client.start()
        try self.carry()
    }

    /// The server's last flight gets lost, and is asked for when the server has given back what only handshakes need.
    func connectWithLoss() throws {
        self.loses = { [server] _ in server.isEstablished }
        try self.connect()
        #expect(self.server.isEstablished && !self.client.isEstablished)
        self.loses = { _ in false }
        self.server.releaseBuffers()
        while !self.client.isEstablished {
            if self.client.timeout == .zero { try self.client.timedOut() }
            try self.carry()
        }
        for session in [self.client, self.server] { session.releaseBuffers() }
    }
}

extension [UInt8] {
    fileprivate init(unsafeCopying view: Span<UInt8>) { self = view.withUnsafeBufferPointer(Array.init) }
}

@Suite("A DTLS session", .timeLimit(.minutes(1)))
struct DTLSTests {
    @Test("brings two peers together who know each other by their fingerprints")
    func handshake() throws {
        let identities = try (0..<2).map { _ in try SelfSignedIdentity(names: ["peer"]) }
        let pair = try DTLSPair(DTLSContext(peerWith: identities[0]), DTLSContext(peerWith: identities[1]))
        #expect(pair.client.peerFingerprint == nil)
        try pair.connect()
        #expect(pair.client.isEstablished && pair.server.isEstablished)
        #expect(pair.client.peerFingerprint == identities[1].fingerprint)
        #expect(pair.server.peerFingerprint == identities[0].fingerprint)
        #expect(pair.client.timeout == nil)
        #expect(pair.datagramSizes.allSatisfy { $0 <= DTLSSession.datagramSize })
        #expect(pair.datagramSizes.count <= 6)
    }

    @Test("rests between the handshake and what comes after, and is there when it comes")
    func rest() throws {
        let pair = try DTLSPair()
        try pair.connectWithLoss()
        try pair.client.send([1, 2, 3].span)
        try pair.carry()
        #expect(pair.heardByServer == [[1, 2, 3]])
        for session in [pair.client, pair.server] { session.releaseBuffers() }
        pair.client.close()
        try pair.carry()
        #expect(pair.server.isClosedByPeer)
    }

    @Test("gives both sides the same keys for SRTP, crosswise")
    func keys() throws {
        let pair = try DTLSPair()
        #expect(try pair.client.srtpKeys() == nil)
        try pair.connect()
        let (client, server) = (try #require(try pair.client.srtpKeys()), try #require(try pair.server.srtpKeys()))
        #expect(client.profile == .aeadAES128GCM && server.profile == .aeadAES128GCM)
        #expect(client.outgoing == server.incoming && client.incoming == server.outgoing)
        #expect(client.outgoing.count == 28 && client.outgoing != client.incoming)
        let exported = try pair.client.export("EXTRACTOR-dtls_srtp", count: 56)
        #expect(client.outgoing == Array(exported[..<16] + exported[32..<44]))
        #expect(client.incoming == Array(exported[16..<32] + exported[44...]))
    }

    @Test("carries datagrams both ways, each as a whole")
    func data() throws {
        let pair = try DTLSPair()
        try pair.connect()
        let letters = [[UInt8]("hello".utf8), [UInt8](repeating: 7, count: 1100), [0]]
        for letter in letters {
            try pair.client.send(letter.span)
            try pair.server.send(letter.span)
        }
        try pair.carry()
        #expect(pair.heardByServer == letters)
        #expect(pair.heardByClient == letters)
        pair.client.close()
        try pair.carry()
        #expect(pair.server.isClosedByPeer)
    }

    @Test("repeats the flight that was lost, whichever it was", arguments: 0..<4)
    func losses(lost: Int) throws {
        let identities = try (0..<2).map { _ in try SelfSignedIdentity(names: ["peer"]) }
        let pair = try DTLSPair(
            DTLSContext(peerWith: identities[0]), DTLSContext(peerWith: identities[1]),
            retries: DTLSRetries(roundTrip: .milliseconds(20)))
        pair.loses = { $0 == lost }
        try pair.client.start()
        // OpenSSL keeps its own clock, so this turns for 50 ms of real time.
        while !(pair.client.isEstablished && pair.server.isEstablished) {
            try pair.carry()
            for side in [pair.client, pair.server] where side.timeout == .zero { try side.timedOut() }
        }
        #expect(pair.client.peerFingerprint == identities[1].fingerprint)
    }

    @Test("wants to repeat soon, and later each time")
    func retries() throws {
        let pair = try DTLSPair()
        try pair.client.start()
        let first = try #require(pair.client.timeout)
        #expect(first > .milliseconds(100) && first <= .milliseconds(250))
        #expect(DTLSRetries(roundTrip: .milliseconds(100)).first == .milliseconds(120))
        #expect(DTLSRetries(roundTrip: .milliseconds(1)).first == .milliseconds(30))
        #expect(DTLSRetries(roundTrip: .seconds(9)).first == .seconds(1))
    }

    @Test("lives through whatever a stranger sends", arguments: 0..<20)
    func strangers(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pair = try DTLSPair()
        try pair.connect()
        try pair.client.send([1, 2, 3].span)
        let real = try #require(pair.client.takeDatagrams().first)
        for _ in 0..<200 {
            var datagram = real
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                datagram[Int.random(in: 0..<datagram.count, using: &random)] ^= UInt8.random(
                    in: 1...255, using: &random)
            }
            try pair.server.receive(datagram.span) { _ in Issue.record("nobody vouched for this") }
        }
        try pair.server.receive(random.bytes(2000).span) { _ in Issue.record("nobody vouched for this") }
        try pair.server.receive(real.span) { #expect($0.count == 3) }
    }

    @Test("is refused to a peer without a certificate")
    func anonymous() throws {
        let server = try DTLSContext(peerWith: SelfSignedIdentity(names: ["peer"]))
        let pair = try DTLSPair(DTLSContext(clientVerifying: false), server)
        #expect(throws: SecureError.self) { try pair.connect() }
    }

    @Test("is refused by a client that asks the authorities about a server they do not know")
    func unknownServer() throws {
        let server = try DTLSContext(peerWith: SelfSignedIdentity(names: ["localhost"]))
        let client = try DTLSSession(DTLSContext(clientVerifying: true), role: .clientOf(name: "localhost"))
        let other = try DTLSSession(server, role: .server)
        try client.start()
        #expect(throws: SecureError.self) {
            for _ in 0..<5 {
                for datagram in client.takeDatagrams() { try other.receive(datagram.span) { _ in } }
                for datagram in other.takeDatagrams() { try client.receive(datagram.span) { _ in } }
            }
        }
    }
}

@Suite("A DTLS server for whoever comes")
struct DTLSServerTests {
    private let server: DTLSContext
    private let client: DTLSSession

    init() throws {
        self.server = try DTLSContext(serverAs: TLSContext(SelfSignedIdentity(names: ["server"])))
        self.client = try DTLSSession(DTLSContext(clientVerifying: false), role: .client)
        try self.client.start()
    }

    /// What the client says next, after hearing this.
    private func answer(to datagrams: [[UInt8]]) throws -> [[UInt8]] {
        for datagram in datagrams { try self.client.receive(datagram.span) { _ in } }
        return self.client.takeDatagrams()
    }

    @Test("Q12 a first DTLS message is answered by a cookie, in no more bytes, and whoever shows it is let in")
    func cookie() throws {
        let session = try DTLSSession(self.server, role: .server)
        let first = try #require(self.client.takeDatagrams().first)
        #expect(try !session.listen(first.span, cookies: [[1, 2, 3]]))
        let told = session.takeDatagrams()
        #expect(told.count == 1 && told[0].count <= first.count)
        let second = try #require(self.answer(to: told).first)
        #expect(try session.listen(second.span, cookies: [[4, 5, 6], [1, 2, 3]]), "the one before is good as well")
        for datagram in try self.answer(to: session.takeDatagrams()) { try session.receive(datagram.span) { _ in } }
        #expect(session.isEstablished)
    }

    @Test("Q12 a DTLS client with another's cookie gets one of its own, from a session that remembers nothing")
    func wrongCookie() throws {
        let session = try DTLSSession(self.server, role: .server)
        let first = try #require(self.client.takeDatagrams().first)
        #expect(try !session.listen(first.span, cookies: [[1]]))
        let second = try #require(self.answer(to: session.takeDatagrams()).first)
        #expect(try !session.listen(second.span, cookies: [[2]]))
        #expect(session.takeDatagrams().count == 1)
    }

    @Test("Q12 no datagram that is cut or changed ends a DTLS server that listens")
    func broken() throws {
        let session = try DTLSSession(self.server, role: .server)
        let first = try #require(self.client.takeDatagrams().first)
        for count in 0..<first.count { _ = try? session.listen(first.span.extracting(first: count), cookies: [[1]]) }
        for index in first.indices {
            var changed = first
            changed[index] ^= 0xFF
            _ = try? session.listen(changed.span, cookies: [[1]])
        }
        _ = session.takeDatagrams()
        let fresh = try DTLSSession(self.server, role: .server)
        #expect(try !fresh.listen(first.span, cookies: [[1]]))
        #expect(fresh.takeDatagrams().count == 1)
    }
}
