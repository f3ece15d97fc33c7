import Bytes
import Secure
import TestSupport
import Testing

@Suite("A key pair of RSA or P-256")
struct PublicKeyTests {
    private static let claims =
        ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test("checks the signature by RS256 of RFC 7515 A.2, and no other")
    func rs256() throws {
        let key = try #require(try JSONWebKeySet(parsing: Array("{\"keys\":[\(Self.rsa)]}".utf8)).keys.first)
        let message = Array("eyJhbGciOiJSUzI1NiJ9\(Self.claims)".utf8)
        let signature = try Base64.decode(Self.rsaSignature, as: .url)
        #expect(key.algorithm == .rs256 && key.isValid(signature, of: message))
        #expect(!key.isValid(signature, of: message + [0]))
        #expect(!key.isValid(Array(signature.dropLast()), of: message))
        #expect(!key.isValid([], of: message))
        #expect(throws: SecureError.self) { try key.signature(of: message) }
    }

    @Test("checks the signature by ES256 of RFC 7515 A.3, and no other")
    func es256() throws {
        let key = try #require(try JSONWebKeySet(parsing: Array("{\"keys\":[\(Self.p256)]}".utf8)).keys.first)
        let message = Array("eyJhbGciOiJFUzI1NiJ9\(Self.claims)".utf8)
        let signature = try Base64.decode(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q", as: .url)
        #expect(key.algorithm == .es256 && key.isValid(signature, of: message))
        #expect(!key.isValid(signature, of: message + [0]))
        #expect(!key.isValid(Array(signature.dropLast()), of: message))
        // CVE-2022-21449: two zeros are no signature.
        #expect(!key.isValid([UInt8](repeating: 0, count: 64), of: message))
        #expect(throws: SecureError.self) { try key.signature(of: message) }
    }

    @Test("signs by ES256 what its public half takes, with numbers of any length")
    func signs() throws {
        let pair = try P256Key()
        let checker = try P256Key(publicPoint: pair.publicPoint)
        for number in 0..<64 {
            let message: [UInt8] = [UInt8(number)]
            let signature = try pair.signature(of: message)
            #expect(signature.count == P256Key.signatureLength && checker.isValid(signature, of: message))
            #expect(!checker.isValid(signature, of: [UInt8(number) + 1]))
        }
    }

    @Test("is read from a PEM text of its own kind")
    func pem() throws {
        let key = try P256Key(pem: Array(Self.pem.utf8))
        #expect(try P256Key(publicPoint: key.publicPoint).isValid(try key.signature(of: [1]), of: [1]))
        #expect(throws: SecureError.self) { try RSAKey(pem: Array(Self.pem.utf8)) }
        #expect(throws: SecureError.self) { try P256Key(pem: Array(Self.otherCurve.utf8)) }
        #expect(throws: SecureError.self) { try P256Key(pem: Array("no key".utf8)) }
    }

    @Test("has a point on the curve")
    func point() throws {
        var point = try P256Key().publicPoint
        point[64] ^= 1
        #expect(throws: SecureError.self) { try P256Key(publicPoint: point) }
        #expect(throws: SecureError.self) { try P256Key(publicPoint: []) }
        #expect(throws: SecureError.self) { try P256Key(publicPoint: [UInt8](repeating: 0, count: 65)) }
    }

    @Test("has numbers that RSA can have, and that can be checked in a moment")
    func numbers() {
        let good = [UInt8](repeating: 0xFF, count: 256)
        let small = [UInt8](repeating: 0xFF, count: 128)
        let large = [UInt8](repeating: 0xFF, count: 1025)
        for (modulus, exponent): ([UInt8], [UInt8]) in [
            ([], [3]), (good, []), (good, [1]), (good, [2]), (good, [1, 0, 0, 0, 1]), (small, [1, 0, 1]),
            (large, [1, 0, 1]), ([0] + good, [1, 0, 1]),
        ] {
            #expect(throws: SecureError.self) { try RSAKey(modulus: modulus, exponent: exponent) }
        }
        #expect(throws: Never.self) { try RSAKey(modulus: good, exponent: [1, 0, 1]) }
    }
}

@Suite("A set of public keys")
struct JSONWebKeySetTests {
    @Test("keeps the keys that tokens are signed with, and passes over the rest")
    func passesOver() throws {
        let set = """
            {"keys":[\(PublicKeyTests.rsa),\(PublicKeyTests.p256),{},7,null,"x",{"kty":"oct","k":"AA"},
            {"kty":"EC","crv":"P-384","x":"AA","y":"AA"},{"kty":"RSA","n":"AQAB","e":"AQAB"},
            {"kty":"OKP","crv":"Ed25519","x":"AA"},\(PublicKeyTests.p256.replacing("\"use\":\"sig\"", with: "\"use\":\"enc\""))]}
            """
        let keys = try JSONWebKeySet(parsing: Array(set.utf8))
        #expect(keys.keys.map(\.algorithm) == [.rs256, .es256])
        #expect(keys.candidates(keyID: "ec", .es256).count == 1)
        #expect(keys.candidates(keyID: nil, .es256).count == 1)
        #expect(keys.candidates(keyID: "ec", .rs256).isEmpty && keys.candidates(keyID: "other", .es256).isEmpty)
    }

    @Test("is refused when it is none, has no key of use, or too many")
    func refuses() {
        for text in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":7}"#] {
            #expect(throws: JSONWebKeySet.Mistake.malformed) { try JSONWebKeySet(parsing: Array(text.utf8)) }
        }
        #expect(throws: JSONWebKeySet.Mistake.noUsableKey) {
            try JSONWebKeySet(parsing: Array(#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#.utf8))
        }
        let many = Array(repeating: "{}", count: JSONWebKeySet.maximumKeys + 1).joined(separator: ",")
        #expect(throws: JSONWebKeySet.Mistake.tooManyKeys) {
            try JSONWebKeySet(parsing: Array("{\"keys\":[\(many)]}".utf8))
        }
        #expect(throws: JSONWebKeySet.Mistake.tooLong) {
            try JSONWebKeySet(parsing: [UInt8](repeating: 0x20, count: JSONWebKeySet.maximumBytes + 1))
        }
    }

    @Test("is taken or refused, cut at every byte and with a few changed")
    func cut() {
        let set = Array("{\"keys\":[\(PublicKeyTests.p256),\(PublicKeyTests.p256)]}".utf8)
        for end in set.indices {
            #expect(throws: JSONWebKeySet.Mistake.malformed) { try JSONWebKeySet(parsing: Array(set[..<end])) }
        }
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            var spoilt = set
            spoilt[.random(in: set.indices, using: &random)] = .random(in: 0...255, using: &random)
            let keys = (try? JSONWebKeySet(parsing: spoilt))?.keys ?? []
            #expect(keys.count <= 2)
        }
    }
}

extension PublicKeyTests {
    static let rsa = """
        {"kty":"RSA","kid":"rsa","alg":"RS256","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4q\
        PCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexM\
        dbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaG\
        Nj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
        """

    private static let rsaSignature = """
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1d\
        nZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwu\
        sC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """

    static let p256 = """
        {"kty":"EC","kid":"ec","use":"sig","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """

    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg15rHpWd2IwUXsO8Q
        KKt1uUiCeEKFAgdCMLbYqllV0JChRANCAASffIl/RxMNRnvgk9Ad402F9u4q9hOw
        uRbKJ7EJMXEFokIiX4m/8dJxMP5AYX71jT3La3MpjxPlfHwTZ4Ogp0P7
        -----END PRIVATE KEY-----
        """

    private static let otherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCfGH9Yk/E+ldRN2HPa
        DvVdweJw38/ByWSPJyc07myxlA7DAAJC3Mo+5FPwtXQibxuhZANiAATw4U1VX7Fu
        zmj7q3WOwh94ljNJOfUUgrGVnFYEd8vbCjEmvf2v+7veTK6iWZmz5nHRd1gXP+B4
        a91NNN4kV/LBiRNCXCLeJ0zfKBCzMq5GfEVIomFPolq+H/QopuLyfSI=
        -----END PRIVATE KEY-----
        """
}
