import Bytes
import Secure
import Testing

@Suite("A password hash")
struct PasswordHashTests {
    /// Cheap enough for tests.
    private static let cheap = PasswordCost(logarithm: 4, blockSize: 8, parallelism: 1) ?? .usual

    @Test("gives what RFC 7914 §12 prints for scrypt")
    func vectors() throws {
        let smallest = try #require(PasswordCost(logarithm: 4, blockSize: 1, parallelism: 1))
        let empty = try PasswordHash(hashing: "", cost: smallest, salt: [], keyLength: 64)
        #expect(
            try self.key(of: empty)
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
        let middle = try #require(PasswordCost(logarithm: 10, blockSize: 8, parallelism: 16))
        let password = try PasswordHash(hashing: "password", cost: middle, salt: Array("NaCl".utf8), keyLength: 64)
        #expect(
            try self.key(of: password)
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
    }

    private func key(of hash: PasswordHash) throws -> String {
        let text = try #require(hash.text.split(separator: "$").last)
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Hex.encode(try Base64.decode(text + padding))
    }

    @Test("reads what another program wrote (passlib)")
    func foreign() throws {
        let text = "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E"
        let hash = try #require(PasswordHash(text))
        #expect(hash.text == text)
        #expect(try hash.matches("password"))
        #expect(try !hash.matches("Password"))
    }

    @Test("matches its own password only, in every script", arguments: ["", "correct horse", "密码🔑", "a\0b"])
    func matches(password: String) throws {
        let hash = try PasswordHash(hashing: password, cost: Self.cheap)
        let stored = try #require(PasswordHash(hash.text))
        #expect(stored == hash)
        #expect(try stored.matches(password))
        #expect(try !stored.matches("x" + password))
        #expect(try !stored.matches(password + " "))
    }

    @Test("has a salt of its own every time")
    func salted() throws {
        let hashes = try (0..<8).map { _ in try PasswordHash(hashing: "same", cost: Self.cheap).text }
        #expect(Set(hashes).count == 8)
    }

    @Test("asks to be renewed when another cost is wanted")
    func renewal() throws {
        let hash = try PasswordHash(hashing: "x", cost: Self.cheap)
        #expect(hash.needsRenewal())
        #expect(!hash.needsRenewal(for: Self.cheap))
    }

    @Test(
        "is not read from a text that is none",
        arguments: [
            "", "$", "plain", "$scrypt$ln=4,r=8,p=1$aaaa", "$bcrypt$ln=4,r=8,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=4,r=8$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg", "$scrypt$r=8,ln=4,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=+4,r=8,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg", "$scrypt$ln=4,r=8,p=1$$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=4,r=8,p=1$c2FsdA==$MDEyMzQ1Njc4OWFiY2RlZg", "$scrypt$ln=4,r=8,p=1$c2FsdA$short",
            "$scrypt$ln=4,r=8,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg$",
            "$scrypt$ln=99,r=8,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=20,r=8,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg", "$scrypt$ln=0,r=8,p=1$c2FsdA$MDEyMzQ1Njc4OWFiY2RlZg",
        ])
    func refuses(text: String) {
        #expect(PasswordHash(text) == nil)
    }
}
