import Bytes
import Secure
import Testing
import Vocabulary

@Suite("A token that lies")
struct TokenRefusalTests {
    @Test(
        "about its algorithm is refused: alg none (CVE-2015-9235), in every spelling",
        arguments: ["none", "None", "NONE", "nOnE", "", "hs256", "HS384", "rs256", "ES384", "PS256", "dir"])
    func algorithmNone(name: String) throws {
        let header = #"{"alg":"\#(name)","kid":"main","typ":"at+jwt"}"#
        let signed = try Sample.token(header: header, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: signed) == .unknownAlgorithm)
        let unsigned = signed.prefix { $0 != "." } + "." + signed.split(separator: ".")[1] + "."
        #expect(try Sample.verifier().refusal(of: String(unsigned)) == .unknownAlgorithm)
    }

    @Test("about whose key it is is refused: RS256 and ES256 over a shared key", arguments: ["RS256", "ES256"])
    func foreignAlgorithm(name: String) throws {
        let header = #"{"alg":"\#(name)","kid":"main","typ":"at+jwt"}"#
        let token = try Sample.token(header: header, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == .wrongAlgorithm)
    }

    @Test("by an empty signature is refused (CVE-2022-29217, CVE-2020-28042)")
    func emptySignature() throws {
        let token = try Sample.token(header: Sample.header, with: try Sample.shared())
        let parts = token.split(separator: ".")
        #expect(try Sample.verifier().refusal(of: "\(parts[0]).\(parts[1]).") == .badSignature)
    }

    @Test("by taking the public key for an HMAC secret is refused (CVE-2016-10555, CVE-2016-5431)")
    func keyConfusion() throws {
        let forger = try SigningKey(id: "pair", sharedSecret: try Sample.publicKeyBytes())
        let token = try JSONWebToken.sign(Sample.claims, type: "at+jwt", with: forger)
        #expect(try Sample.verifier().refusal(of: token) == .wrongAlgorithm)
    }

    @Test("by claiming EdDSA over a shared key is refused")
    func reverseConfusion() throws {
        let header = #"{"alg":"EdDSA","kid":"main","typ":"at+jwt"}"#
        let token = try Sample.token(header: header, with: try Sample.pair())
        #expect(try Sample.verifier().refusal(of: token) == .wrongAlgorithm)
    }

    @Test(
        "about its key is refused: kid injection (CVE-2018-0114 and its kin)",
        arguments: [
            "../../dev/null", "main' OR '1'='1", "/etc/passwd", "Main", "main ", "", "http://evil/key", "main\\u0000",
        ])
    func keyInjection(id: String) throws {
        let header = #"{"alg":"HS256","kid":"\#(id)","typ":"at+jwt"}"#
        #expect(
            try Sample.verifier().refusal(of: try Sample.token(header: header, with: try Sample.shared()))
                == .unknownKey)
    }

    @Test("by naming no key is refused")
    func noKey() throws {
        let token = try Sample.token(header: #"{"alg":"HS256","typ":"at+jwt"}"#, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == .unknownKey)
    }

    @Test(
        "by bringing its own key is refused, and by demanding what nobody knows (RFC 7515 §4.1)",
        arguments: [
            #""jwk":{"kty":"oct","k":"AA"}"#, #""jku":"https://evil.example/keys""#, #""x5u":"https://evil.example""#,
            #""x5c":["AA"]"#, #""crit":["exp"]"#, #""crit":[]"#, #""b64":false"#, #""zip":"DEF""#,
        ])
    func unknownHeader(member: String) throws {
        let header = #"{"alg":"HS256","kid":"main","typ":"at+jwt",\#(member)}"#
        let token = try Sample.token(header: header, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == .unknownHeader)
    }

    @Test("with another secret's signature is refused")
    func otherSecret() throws {
        let forger = try Sample.shared("main", Sample.otherSecret)
        let token = try JSONWebToken.sign(Sample.claims, type: "at+jwt", with: forger)
        #expect(try Sample.verifier().refusal(of: token) == .badSignature)
    }

    @Test(
        "twice is refused: duplicated members, plain or escaped (RFC 8725 §2.4, RFC 7519 §4)",
        arguments: [
            #"{"sub":"alice","sub":"admin","aud":"parley","iss":"parley","iat":1700000000,"exp":1700000600}"#,
            #"{"sub":"alice","s\u0075b":"admin","aud":"parley","iss":"parley","iat":1700000000,"exp":1700000600}"#,
            #"{"sub":"alice","aud":"parley","iss":"parley","iat":1700000000,"exp":1700000600,"x":1,"x":2}"#,
        ])
    func duplicates(payload: String) throws {
        let token = try Sample.token(header: Sample.header, payload: payload, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == .duplicatedMember)
        let header = #"{"alg":"HS256","alg":"HS256","kid":"main","typ":"at+jwt"}"#
        let twice = try Sample.token(header: header, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: twice) == .duplicatedMember)
    }

    @Test(
        "about its purpose is refused: cross-JWT confusion (RFC 8725 §3.11)",
        arguments: [#","typ":"JWT""#, #","typ":"""#, "", #","typ":"application/""#])
    func wrongType(type: String) throws {
        let token = try Sample.token(header: #"{"alg":"HS256","kid":"main"\#(type)}"#, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == .wrongType)
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        let refusal: TokenRefusal
        let change: @Sendable (inout TokenClaims) -> Void

        init(_ refusal: TokenRefusal, _ change: @escaping @Sendable (inout TokenClaims) -> Void) {
            self.refusal = refusal
            self.change = change
        }

        var testDescription: String { "\(self.refusal)" }
    }

    private static let lies = [
        Lie(.wrongAudience) { $0.audience = [] },
        Lie(.wrongAudience) { $0.audience = ["parley2", "Parley"] },
        Lie(.wrongIssuer) { $0.issuer = nil },
        Lie(.wrongIssuer) { $0.issuer = "somebody" },
        Lie(.missingClaim) { $0.subject = nil },
        Lie(.missingClaim) { $0.expiry = nil },
        Lie(.missingClaim) { $0.issuedAt = nil },
        Lie(.expired) { $0.expiry = Sample.now.seconds },
        Lie(.expired) { $0.expiry = 0 },
        Lie(.notYetValid) { $0.notBefore = Sample.now.seconds + 6 },
        Lie(.issuedInTheFuture) { $0.issuedAt = Sample.now.seconds + 6 },
        Lie(.livesTooLong) { $0.expiry = Sample.now.seconds + 3601 },
        Lie(.livesTooLong) { $0.expiry = 253_402_300_799 },
        Lie(.livesTooLong) { $0.issuedAt = 0 },
    ]

    @Test("about anything it claims is refused by name", arguments: lies)
    func claims(lie: Lie) throws {
        var claims = Sample.claims
        lie.change(&claims)
        let token = try JSONWebToken.sign(claims, type: "at+jwt", with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == lie.refusal)
    }

    @Test("is told from one of a clock that is a little ahead")
    func leeway() throws {
        var claims = Sample.claims
        claims.notBefore = Sample.now.seconds + 5
        claims.issuedAt = Sample.now.seconds + 5
        let token = try JSONWebToken.sign(claims, type: "at+jwt", with: try Sample.shared())
        let verifier = try Sample.verifier()
        #expect(verifier.refusal(of: token) == nil)
        #expect(verifier.refusal(of: token, at: WallTime(milliseconds: Sample.now.milliseconds + 599_999)) == nil)
        #expect(verifier.refusal(of: token, at: Sample.now + .seconds(600)) == .expired)
        var rules = Sample.rules
        rules.expiryLeeway = .seconds(2)
        #expect(try Sample.verifier(rules).refusal(of: token, at: Sample.now + .seconds(601)) == nil)
    }

    @Test(
        "about the kind of a claim is refused",
        arguments: [
            #"{"sub":7}"#, #"{"aud":{"a":1}}"#, #"{"aud":["parley",1]}"#, #"{"exp":"1700000600"}"#, #"{"exp":-1}"#,
            #"{"exp":1.7e9}"#, #"{"exp":99999999999999999999}"#, #"{"exp":253402300800}"#, #"{"nbf":null}"#,
            #"{"iss":["parley"]}"#, #"[]"#, #""text""#, "{", "{}{}", "", #"{"a":[[[[[[[[[[1]]]]]]]]]]}"#,
        ])
    func kinds(payload: String) throws {
        let full = payload.hasPrefix(#"{""#) ? #"{"jti":"x",\#(payload.dropFirst())"# : payload
        let token = try Sample.token(header: Sample.header, payload: full, with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token).map { [.malformed, .wrongAudience].contains($0) } == true)
    }

    @Test(
        "about its own form is refused",
        arguments: [
            "", ".", "..", "...", "a.b.c", "e30.e30.", "e30.e30.e30", "bnVsbA.e30.", " e30.e30.e30", "e30=.e30.e30",
            "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.e30", "eyJhbGciOiJIUzI1NiJ9.e30.AA.AA",
            "eyJhbGciOiJIUzI1NiJ9.e30.A+/=",
        ])
    func form(text: String) throws {
        #expect(try Sample.verifier().refusal(of: text) == .malformed)
    }

    @Test("by its length is refused before anything else is read")
    func length() throws {
        var claims = Sample.claims
        claims.texts["name"] = String(repeating: "x", count: JSONWebToken.maximumLength)
        let token = try JSONWebToken.sign(claims, type: "at+jwt", with: try Sample.shared())
        #expect(try Sample.verifier().refusal(of: token) == .tooLong)
        #expect(try Sample.verifier().refusal(of: String(repeating: ".", count: 5000)) == .tooLong)
    }
}
