import Bytes
import Hashing
import Secure
import Testing

@Suite("A signature")
struct SigningTests {
    @Test("by HS256 is that of RFC 7515 A.1")
    func rfc7515() throws {
        let text =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let secret = try Base64.decode(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow", as: .url)
        let token = try JSONWebToken(parsing: text)
        #expect(token.algorithm == .hs256)
        #expect(token.type == "JWT")
        #expect(token.keyID == nil)
        #expect(token.isSigned(by: try Sample.shared("any", secret)))
        #expect(!token.isSigned(by: try Sample.shared()))
        #expect(!token.isSigned(by: try Sample.pair()))
    }

    @Test("by Ed25519 is that of RFC 8037 A.4, and is checked with the public half alone (A.5)")
    func rfc8037() throws {
        let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        let signature = try Sample.pair().signature(of: message)
        #expect(
            Base64.encode(signature, as: .url)
                == "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
        let checker = SigningKey(id: "public", try Ed25519Key(publicKey: try Sample.publicKeyBytes()))
        #expect(checker.isValid(signature, of: message))
        #expect(!checker.isValid(signature, of: message + [0]))
        #expect(!checker.isValid(Array(signature.dropLast()), of: message))
        #expect(throws: SecureError.self) { try checker.signature(of: message) }
    }

    @Test("needs a key of the right length", arguments: [0, 31, 33, 64])
    func keyLength(count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(throws: SecureError.self) { try Ed25519Key(seed: bytes) }
        #expect(throws: SecureError.self) { try Ed25519Key(publicKey: bytes) }
    }
}

@Suite("A weak secret")
struct SecretWeaknessTests {
    @Test(
        "is recognised when it is short, known, or says the same again and again",
        arguments: [
            ("", SecretWeakness.tooShort(bytes: 0)),
            ("k7Jq0v3Rz8XwPtY2mB5nLc9dHs4GfA1", .tooShort(bytes: 31)),
            ("your-256-bit-secret-that-is-long-enough", .wellKnown("your-256-bit")),
            ("CHANGEME-k7Jq0v3Rz8XwPtY2mB5nLc9dHs4GfA1e", .wellKnown("changeme")),
            ("secretsecretsecretsecretsecretsecret", .wellKnown("secretsecret")),
            ("0123456789abcdef0123456789abcdef", .wellKnown("0123456789")),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", .tooRegular),
            ("k7Jq0v3Rz8XwPk7Jq0v3Rz8XwPk7Jq0v3Rz8XwP", .tooRegular),
            ("kjkjkjkkkjjjkkjkjkjjjkjkjkjkjjkkjkjkkjkjkjj", .tooRegular),
        ])
    func weak(secret: String, weakness: SecretWeakness) {
        #expect(SecretWeakness.found(in: Array(secret.utf8)) == weakness)
        #expect(throws: weakness) { try SigningKey(id: "k", sharedSecret: Array(secret.utf8)) }
    }

    @Test("is never found in random bytes, whatever they are written in")
    func strong() {
        var random = SecureRandom()
        for _ in 0..<500 {
            let bytes = random.bytes(32)
            for text in [bytes, Array(Hex.encode(bytes).utf8), Array(Base64.encode(bytes).utf8)] {
                #expect(SecretWeakness.found(in: text) == nil)
            }
        }
    }

    @Test("is explained with a way out and without being repeated")
    func explains() {
        let text = SecretWeakness.tooShort(bytes: 6).description
        #expect(text.contains("6 bytes") && text.contains("openssl rand"))
    }
}
