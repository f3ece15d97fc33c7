import Bytes
import Secure
import TestSupport
import Testing
import Vocabulary

@Suite("An ID token")
struct IDTokenTests {
    private static let verifier = IDTokenVerifier(issuer: "https://id.example", clientID: "parley")
    private static let pair = Result { try P256Key() }
    private static let header = #"{"alg":"ES256","kid":"now","typ":"JWT"}"#
    private static let claims = """
        "iss":"https://id.example","aud":"parley","sub":"u-1","nonce":"n","iat":1700000000,"exp":1700000300
        """

    private static func key(_ id: String = "now") throws -> SigningKey { SigningKey(id: id, try self.pair.get()) }

    private static func refusal(
        of claims: String, header: String = Self.header, keys: [SigningKey]? = nil, at now: WallTime = Sample.now
    ) throws -> TokenRefusal? {
        let token = try Sample.token(header: header, payload: "{\(claims)}", with: try self.key())
        let set = JSONWebKeySet(try keys ?? [self.key()])
        do throws(TokenRefusal) {
            _ = try self.verifier.verify(token, set, nonce: "n", at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("names its subject, and every claim that is a text")
    func good() throws {
        let token = try Sample.token(
            header: Self.header, payload: "{\(Self.claims),\"name\":\"Zoë\",\"groups\":[\"a\"]}", with: try Self.key())
        let user = try Self.verifier.verify(token, JSONWebKeySet([try Self.key()]), nonce: "n", at: Sample.now)
        #expect(user.subject == "u-1" && user.texts["name"] == "Zoë" && user.texts["groups"] == nil)
    }

    @Test(
        "is refused when it was made for somebody else, or for another sign-in",
        arguments: [
            ("https://id.example", "https://id.example/", TokenRefusal.wrongIssuer),
            ("https://id.example", "https://evil.example", .wrongIssuer), (#""parley""#, #""other""#, .wrongAudience),
            (#""parley""#, "[]", .wrongAudience), (#""parley""#, #"["parley","other"]"#, .wrongAudience),
            (#""parley""#, #"["parley","other"],"azp":"other""#, .wrongAudience),
            (#""parley""#, #""parley","azp":"other""#, .wrongAudience), (#""nonce":"n""#, #""nonce":"m""#, .wrongNonce),
            (#","nonce":"n""#, "", .wrongNonce), (#""nonce":"n""#, #""nonce":7"#, .wrongNonce),
            (#""sub":"u-1""#, #""sub":"""#, .missingClaim), (#","sub":"u-1""#, "", .missingClaim),
            (#","exp":1700000300"#, "", .missingClaim), (#","iat":1700000000"#, "", .missingClaim),
            (#""iat":1700000000"#, #""iat":1700000061"#, .issuedInTheFuture),
            (#""exp":1700000300"#, #""exp":1699999940"#, .expired),
            (#""exp":1700000300"#, #""exp":1700000300,"nbf":1700000061"#, .notYetValid),
            (#""nonce":"n""#, #""nonce":"n","nonce":"n""#, .duplicatedMember),
        ])
    func refuses(part: String, other: String, refusal: TokenRefusal) throws {
        #expect(try Self.refusal(of: Self.claims.replacing(part, with: other)) == refusal)
    }

    @Test("is taken for several audiences when it was handed to us, and by clocks a minute apart")
    func takes() throws {
        let several = Self.claims.replacing(#""parley""#, with: #"["parley","other"],"azp":"parley""#)
        #expect(try Self.refusal(of: several) == nil)
        #expect(try Self.refusal(of: Self.claims, at: WallTime(seconds: 1_700_000_359)) == nil)
        #expect(try Self.refusal(of: Self.claims, at: WallTime(seconds: 1_700_000_360)) == .expired)
        #expect(try Self.refusal(of: Self.claims, at: WallTime(seconds: 1_699_999_940)) == nil)
    }

    @Test(
        "is refused with an algorithm that proves nothing here",
        arguments: ["none", "HS256", "EdDSA", "RS512", "es256", ""])
    func algorithms(name: String) throws {
        let header = #"{"alg":"\#(name)","kid":"now"}"#
        #expect(try Self.refusal(of: Self.claims, header: header) == .unknownAlgorithm)
    }

    @Test("is refused when its key is not the provider's, or another says it is")
    func keys() throws {
        let other = SigningKey(id: "now", try P256Key())
        #expect(try Self.refusal(of: Self.claims, keys: [other]) == .badSignature)
        #expect(try Self.refusal(of: Self.claims, keys: [try Self.key("before")]) == .unknownKey)
        #expect(try Self.refusal(of: Self.claims, header: #"{"alg":"RS256","kid":"now"}"#) == .unknownKey)
        #expect(
            try Self.refusal(of: Self.claims, header: #"{"alg":"ES256"}"#, keys: [other, try Self.key("x")]) == nil)
        let jwk = #"{"alg":"ES256","kid":"now","jwk":{"kty":"EC"}}"#
        #expect(try Self.refusal(of: Self.claims, header: jwk) == .unknownHeader)
    }

    @Test("is refused, cut at every byte")
    func cut() throws {
        let token = try Sample.token(header: Self.header, payload: "{\(Self.claims)}", with: try Self.key())
        let keys = JSONWebKeySet([try Self.key()])
        for end in token.indices {
            #expect(throws: TokenRefusal.self) {
                try Self.verifier.verify(String(token[..<end]), keys, nonce: "n", at: Sample.now)
            }
        }
        let long = String(repeating: "a", count: IDTokenVerifier.maximumLength + 1)
        #expect(throws: TokenRefusal.tooLong) {
            try Self.verifier.verify(long, keys, nonce: "n", at: Sample.now)
        }
    }
}
