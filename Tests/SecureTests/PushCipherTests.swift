import Bytes
import TestSupport
import Testing
import Vocabulary

@testable import Secure

@Suite("A push that is sealed for one device")
struct PushCipherTests {
    private static func bytes(_ text: String) throws -> [UInt8] { try Base64.decode(text, as: .url) }

    /// RFC 8291, appendix A.
    private static let publicKey =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let sealed = """
        DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_\
        yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
        """

    @Test("H01.sealed A push is sealed as RFC 8291 shows it")
    func vector() throws {
        let cipher = try PushCipher(publicKey: Self.bytes(Self.publicKey), secret: Self.bytes(Self.secret))
        let sender = try P256Key(privateNumber: Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let sealed = try cipher.seal(
            Array("When I grow up, I want to be a watermelon".utf8), from: sender,
            salt: Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(sealed == (try Self.bytes(Self.sealed)))
    }

    @Test("A push has at most as many bytes as every push service takes")
    func length() throws {
        let cipher = try PushCipher(publicKey: Self.bytes(Self.publicKey), secret: Self.bytes(Self.secret))
        let longest = [UInt8](repeating: 7, count: PushCipher.maximumPlainBytes)
        #expect(try cipher.seal(longest).count == 4096)
        #expect(try cipher.seal(longest) != cipher.seal(longest), "each has a key and a salt of its own")
        #expect(throws: SecureError.self) { try cipher.seal(longest + [7]) }
    }

    @Test("Keys of a device are refused that are no point of the curve, or too short")
    func refusals() throws {
        let (point, secret) = (try Self.bytes(Self.publicKey), try Self.bytes(Self.secret))
        for index in 0..<point.count {
            #expect(throws: SecureError.self) { try PushCipher(publicKey: Array(point.prefix(index)), secret: secret) }
        }
        var beside = point
        beside[40] ^= 1
        #expect(throws: SecureError.self) { try PushCipher(publicKey: beside, secret: secret) }
        #expect(throws: SecureError.self) { try PushCipher(publicKey: point, secret: Array(secret.dropLast())) }
        #expect(throws: SecureError.self) { try P256Key(privateNumber: [UInt8](repeating: 0, count: 32)) }
        #expect(throws: SecureError.self) { try P256Key(privateNumber: [UInt8](repeating: 255, count: 32)) }
    }

    @Test("H01.vapid A push service can check who sends by the public half of the key")
    func token() throws {
        let secret = [UInt8](repeating: 9, count: 32)
        let key = try VAPIDKey(derivedFrom: secret, contact: "mailto:a@example.org")
        #expect(key.publicText == (try VAPIDKey(derivedFrom: secret, contact: "mailto:b@example.org")).publicText)
        #expect(key.publicText.utf8.count == 87)
        let token = try key.token(for: "https://push.example", at: WallTime(seconds: 1_700_000_000))
        #expect(token.field.hasPrefix("vapid t="))
        #expect(token.field.hasSuffix(",k=\(key.publicText)"))
        let parts = token.field.dropFirst("vapid t=".count).prefix { $0 != "," }.split(separator: ".").map(String.init)
        let claims = String(decoding: try Self.bytes(parts[1]), as: UTF8.self)
        #expect(claims == #"{"aud":"https://push.example","exp":1700043200,"sub":"mailto:a@example.org"}"#)
        let own = try P256Key(publicPoint: Self.bytes(key.publicText))
        #expect(own.isValid(try Self.bytes(parts[2]), of: Array("\(parts[0]).\(parts[1])".utf8)))
    }
}
