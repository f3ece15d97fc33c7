import Bytes
import Hashing
import STUN
import Testing

@Suite("A long-term credential")
struct STUNAuthenticationTests {
    private static let transaction = STUNSamples.transaction

    private static func challenge(_ nonce: String, algorithms: [UInt16] = []) -> [UInt8] {
        var writer = STUNWriter(.error, STUNMethod.allocate, self.transaction)
        writer.append(.unauthenticated, reason: "Unauthenticated")
        writer.append(.realm, text: "example.org")
        writer.append(.nonce, text: nonce)
        if !algorithms.isEmpty { writer.append(passwordAlgorithms: algorithms) }
        return writer.finish().bytes
    }

    private static func read(_ bytes: [UInt8]) throws -> STUNChallenge? {
        STUNChallenge(try STUNMessage(parsing: bytes.span))
    }

    private static func accepts(_ bytes: [UInt8], _ authentication: STUNAuthentication) throws -> Bool {
        authentication.accepts(try STUNMessage(parsing: bytes.span))
    }

    private static func signed(_ authentication: STUNAuthentication) -> [UInt8] {
        var writer = STUNWriter(.request, STUNMethod.allocate, self.transaction)
        authentication.sign(&writer)
        return writer.finish().bytes
    }

    private static func authentication(for bytes: [UInt8]) throws -> STUNAuthentication {
        let challenge = try #require(try Self.read(bytes))
        return try #require(STUNAuthentication(username: "anna", password: "secret", challenge: challenge))
    }

    @Test("J09 answers a server of the old rules with its name and a SHA-1 code")
    func classic() throws {
        let authentication = try Self.authentication(for: Self.challenge("n0nce"))
        let request = Self.signed(authentication)
        let message = try STUNMessage(parsing: request.span)
        #expect(message.text(of: .username) == "anna")
        #expect(message.text(of: .realm) == "example.org")
        #expect(message.text(of: .nonce) == "n0nce")
        #expect(!message.has(.passwordAlgorithm) && !message.has(.sha256))
        #expect(message.isAuthentic(STUNKey(longTerm: "anna", realm: "example.org", password: "secret")) == true)
        #expect(authentication.accepts(message) == true)
    }

    @Test("J09 answers a server that offers SHA-256 and anonymity with both")
    func modern() throws {
        let features: STUNSecurityFeatures = [.passwordAlgorithms, .usernameAnonymity]
        let offered: [UInt16] = [1, 2, 77]
        let authentication = try Self.authentication(for: Self.challenge(features.nonce("x"), algorithms: offered))
        let request = Self.signed(authentication)
        let message = try STUNMessage(parsing: request.span)
        #expect(message.has(.username) == false)
        let hash = STUNUserHash.of("anna", realm: "example.org")
        let isHidden = message.value(of: .userHash)?.hasSameBytes(as: hash.span)
        #expect(isHidden == true)
        #expect(message.passwordAlgorithms == offered)
        #expect(message.passwordAlgorithm == 2)
        #expect(message.has(.sha256) && !message.has(.sha1))
        let key = STUNKey(longTerm: "anna", realm: "example.org", password: "secret", algorithm: .sha256)
        #expect(message.isAuthentic(key) == true)
    }

    @Test("J09 is not given away to who takes the better algorithms out of the answer")
    func bidDown() throws {
        for nonce in ["obMatJos2AAABrest", "obMatJos2gAAArest"] {
            let bytes = Self.challenge(nonce)
            #expect(try Self.read(bytes) == nil)
        }
        let plain = Self.challenge("obMatJos2AAAArest")
        #expect(try Self.read(plain) != nil)
    }

    @Test("does not answer where no algorithm is common")
    func strangers() throws {
        let bytes = Self.challenge("n", algorithms: [9, 10])
        let challenge = try #require(try Self.read(bytes))
        #expect(challenge.algorithm == nil)
        #expect(STUNAuthentication(username: "a", password: "b", challenge: challenge) == nil)
    }

    @Test("does not accept what another signed, or nobody, or with the weaker code")
    func accepts() throws {
        let offer = Self.challenge("n", algorithms: [2])
        let authentication = try Self.authentication(for: offer)
        #expect(try !Self.accepts(offer, authentication))
        var writer = STUNWriter(.success, STUNMethod.allocate, Self.transaction)
        writer.appendIntegrity(STUNKey(longTerm: "anna", realm: "example.org", password: "secret", algorithm: .sha256))
        let weak = writer.finish().bytes
        #expect(try !Self.accepts(weak, authentication))
    }

    @Test("goes on with a new nonce, and a new realm")
    func renewed() throws {
        let first = try Self.authentication(for: Self.challenge("one"))
        let second = try #require(first.answering(STUNChallenge(realm: "example.org", nonce: "two")))
        let bytes = Self.signed(second)
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.text(of: .nonce) == "two")
        #expect(first.accepts(message) == true)
        let moved = try #require(first.answering(STUNChallenge(realm: "example.com", nonce: "two")))
        let other = Self.signed(moved)
        let key = STUNKey(longTerm: "anna", realm: "example.com", password: "secret")
        let isMoved = try STUNMessage(parsing: other.span).isAuthentic(key)
        #expect(isMoved)
        #expect(try !Self.accepts(other, first))
    }

    @Test(
        "is the same however it is spelled (RFC 8265), and another one when letters only look alike",
        arguments: [
            ("mu\u{308}ller", "m\u{FC}ller"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
            ("a\u{A0}b\u{3000}c", "a b c"), ("\u{212B}", "\u{C5}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
            ("\u{FF21}", "\u{FF21}"), ("\u{2168}", "\u{2168}"), ("Anna", "Anna"), ("\u{DF}", "\u{DF}"),
            ("a\u{7}\u{E9}", "a\u{7}\u{E9}"),
        ])
    func spelling(typed: String, spelled: String) throws {
        let expected = Digest.sha256.hash(Array(spelled.utf8) + Array(":example.org".utf8))
        #expect(STUNUserHash.of(typed, realm: "example.org") == expected)
        let challenge = STUNChallenge(realm: "example.org", nonce: "one")
        let authentication = try #require(STUNAuthentication(username: typed, password: typed, challenge: challenge))
        let bytes = Self.signed(authentication)
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.text(of: .username).map { Array($0.utf8) } == Array(spelled.utf8))
        let key = STUNKey(MD5.hash("\(spelled):example.org:\(spelled)"))
        let isAuthentic = message.isAuthentic(key)
        #expect(isAuthentic)
    }

    @Test("finds the cookie in a nonce, whatever follows it")
    func cookie() {
        #expect(STUNSecurityFeatures(ofNonce: "obMatJos2") == [])
        #expect(STUNSecurityFeatures(ofNonce: "obMatJos2AA==") == [])
        #expect(STUNSecurityFeatures(ofNonce: "obMatJos2wAAAabc") == [.passwordAlgorithms, .usernameAnonymity])
        #expect(STUNSecurityFeatures(ofNonce: STUNSecurityFeatures.usernameAnonymity.nonce("z")) == .usernameAnonymity)
        #expect(STUNSecurityFeatures.passwordAlgorithms.nonce("z") == "obMatJos2AAABz")
    }
}
