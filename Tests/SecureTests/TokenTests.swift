import Bytes
import Secure
import TestSupport
import Testing
import Vocabulary

@Suite("A token")
struct TokenTests {
    @Test("says after its round trip what it said before", arguments: SigningKey.Algorithm.allCases)
    func roundTrip(algorithm: SigningKey.Algorithm) throws {
        let key = try algorithm == .hs256 ? Sample.shared() : Sample.pair()
        let text = try JSONWebToken.sign(Sample.claims, type: "at+jwt", with: key)
        let verified = try Sample.verifier().verify(text, at: Sample.now)
        #expect(verified.subject == "alice")
        #expect(verified.keyID == key.id)
        #expect(verified.tokenID == "t-1")
        #expect(verified.texts == ["name": "Ålice 爱"])
        #expect(verified.expiry == Sample.now + .seconds(600))
        #expect(verified.issuedAt == Sample.now)
    }

    @Test("may name several audiences, and carry claims we do not know")
    func tolerates() throws {
        let payload =
            #"{"iss":"parley","sub":"bob","aud":["other","parley"],"iat":1700000000.75,"exp":1700000600,"#
            + #""roles":["a",{"b":[1e9]}],"admin":true,"none":null}"#
        let token = try Sample.token(header: Sample.header, payload: payload, with: try Sample.shared())
        let verified = try Sample.verifier().verify(token, at: Sample.now)
        #expect(verified.subject == "bob")
        #expect(verified.issuedAt == Sample.now)
        #expect(verified.texts.isEmpty)
    }

    @Test("without a name is named by its content, always the same")
    func standInName() throws {
        let verifier = try Sample.verifier()
        let tokens = try ["alice", "bob"].map { user in
            var claims = Sample.claims
            claims.tokenID = nil
            claims.subject = user
            return try JSONWebToken.sign(claims, type: "at+jwt", with: try Sample.shared())
        }
        let names = try (tokens + tokens).map { try verifier.verify($0, at: Sample.now).tokenID }
        #expect(names[0] == names[2] && names[1] == names[3] && names[0] != names[1])
    }

    @Test(
        "has its type compared as media types are", arguments: ["AT+JWT", "application/at+jwt", "Application/At+Jwt"])
    func typeSpellings(type: String) throws {
        let token = try JSONWebToken.sign(Sample.claims, type: type, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == nil)
    }

    @Test("is refused when any of its bytes is missing or another")
    func everyByteCounts() throws {
        let verifier = try Sample.verifier()
        let text = Array(try JSONWebToken.sign(Sample.claims, type: "at+jwt", with: try Sample.shared()).utf8)
        for index in text.indices {
            #expect(verifier.refusal(of: String(decoding: text[..<index], as: UTF8.self)) != nil)
            for mask: UInt8 in [1, 2, 4, 8, 16, 32, 64] {
                var changed = text
                changed[index] ^= mask
                #expect(verifier.refusal(of: String(decoding: changed, as: UTF8.self)) != nil)
            }
        }
    }

    @Test("made of noise is refused and nothing worse", arguments: 0..<8 as Range<UInt64>)
    func noise(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let verifier = try Sample.verifier()
        let key = try Sample.shared()
        let pieces = [
            #"{"#, #"}"#, #"""#, "alg", "HS256", "none", #""sub":"#, #""exp":"#, "1e999", "[", "]", ",", ":",
            "9999999999999999999999", "\\ud800", "\u{0}", "null", "-1",
        ]
        for _ in 0..<1500 {
            let noise = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                pieces[Int.random(in: pieces.indices, using: &random)]
            }.joined()
            let isHeader = Bool.random(using: &random)
            let token = try Sample.token(
                header: isHeader ? noise : Sample.header, payload: isHeader ? nil : noise, with: key)
            #expect(verifier.refusal(of: token) != nil, "seed \(seed): \(noise)")
        }
    }
}
