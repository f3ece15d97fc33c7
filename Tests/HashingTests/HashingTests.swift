import Bytes
import COpenSSL
import Hashing
import TestSupport
import Testing

@Suite("Hashing")
struct HashingTests {
    @Test("of bytes that come in pieces is the same, and a copy goes on by itself", arguments: Digest.allCases)
    func pieces(digest: Digest) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        var stream = DigestStream(digest)
        stream.update(bytes.span.extracting(0..<3))
        let copy = stream
        for start in stride(from: 3, to: 1000, by: 77) {
            stream.update(bytes.span.extracting(start..<min(start + 77, 1000)))
        }
        #expect(stream.value == digest.hash(bytes) && stream.count == 1000)
        #expect(copy.value == digest.hash(Array(bytes[..<3])))
    }

    @Test("gives what the standards print for SHA-1 and SHA-256 (FIPS 180)")
    func digests() {
        #expect(Hex.encode(Digest.sha1.hash("abc")) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Hex.encode(Digest.sha256.hash("abc")) == abc)
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(Hex.encode(Digest.sha256.hash("")) == nothing)
    }

    @Test("gives what RFC 2202 and RFC 4231 print for HMAC")
    func codes() {
        let key = [UInt8](repeating: 0x0B, count: 20)
        let sha1 = HMAC.code(of: "Hi There", key: key, using: .sha1)
        #expect(Hex.encode(sha1) == "b617318655057264e28bc0b6fb378c8ef146be00")
        let sha256 = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        #expect(Hex.encode(HMAC.code(of: "Hi There", key: key)) == sha256)
        let long = HMAC.code(
            of: "Test Using Larger Than Block-Size Key - Hash Key First", key: [UInt8](repeating: 0xAA, count: 131))
        #expect(Hex.encode(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("gives what RFC 1321 prints for MD5")
    func md5() {
        #expect(Hex.encode(MD5.hash("")) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Hex.encode(MD5.hash("message digest")) == "f96b697d7cb7938d525a2f31aaf161d0")
    }

    @Test("sums up what everybody sums up to check a CRC-32")
    func crc32() {
        #expect(Checksum.crc32(Array("123456789".utf8).span) == 0xCBF4_3926)
        #expect(Checksum.crc32([UInt8]().span) == 0)
    }

    private static func agrees(_ code: HMACCode, _ expected: [UInt8]) -> Bool { code.begins(with: expected.span) }

    /// What OpenSSL makes of it in one step.
    private static func codeInOneStep(of message: [UInt8], key: [UInt8], using digest: Digest) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: digest.byteCount)
        // A nil pointer would stand for the key of last time.
        let padded = key.isEmpty ? [0] : key
        let method = digest == .sha1 ? EVP_sha1() : EVP_sha256()
        _ = COpenSSL.HMAC(method, padded, Int32(key.count), message, message.count, &code, nil)
        return code
    }

    @Test("with a prepared key is what OpenSSL makes of it, wherever it is cut", arguments: [Digest.sha1, .sha256])
    func prepared(digest: Digest) {
        var random = SeededRandom(seed: 7)
        for length in [0, 1, 20, 63, 64, 65, 200] {
            let key = random.bytes(length)
            let prepared = HMACKey(key, using: digest)
            let message = random.bytes(150)
            let expected = Self.codeInOneStep(of: message, key: key, using: digest)
            #expect(prepared.code(of: message) == expected)
            for cut in [0, 4, 64, 150] {
                let code = prepared.code(of: message.span.extracting(0..<cut), message.span.extracting(cut..<150))
                #expect(code.count == digest.byteCount)
                #expect(Self.agrees(code, expected))
                #expect((0..<code.count).map { code.bytes[$0] } == expected)
            }
        }
    }

    @Test("with a prepared key tells a code from every other one")
    func preparedCompares() {
        let code = HMACKey([1, 2, 3], using: .sha1).code(of: [1].span, [2].span)
        let right = (0..<20).map { code.bytes[$0] }
        #expect(Self.agrees(code, Array(right.prefix(16))))
        for index in right.indices {
            var wrong = right
            wrong[index] ^= 1
            #expect(!Self.agrees(code, wrong))
        }
        #expect(!Self.agrees(code, (right + [0])))
    }

    @Test("with an empty key is the same every time")
    func emptyKey() {
        let first = HMAC.code(of: "a", key: [])
        _ = HMAC.code(of: "a", key: [1, 2, 3])
        #expect(HMAC.code(of: "a", key: []) == first)
        #expect(Hex.encode(HMAC.code(of: "", key: [])).hasPrefix("b613679a0814d9ec772f95d778c35fc5"))
    }

    @Test("compares secrets as wholes")
    func constantTime() {
        #expect(ConstantTime.areEqual("secret", "secret"))
        #expect(ConstantTime.areEqual([UInt8](), []))
        #expect(!ConstantTime.areEqual("secret", "secreT"))
        #expect(!ConstantTime.areEqual("secret", "secre"))
    }

    @Test("draws random numbers that differ")
    func random() {
        var random = SecureRandom()
        #expect(Set((0..<1000).map { _ in random.next() }).count == 1000)
        #expect(random.bytes(32).count == 32)
        #expect(random.bytes(0).isEmpty)
    }

    @Test("draws numbers in advance, and hands each out once")
    func drawnInAdvance() {
        var (one, other) = (BufferedRandom(), BufferedRandom())
        let numbers = (0..<1000).map { _ in one.next() } + (0..<1000).map { _ in other.next() }
        #expect(Set(numbers).count == numbers.count)
        // Bits of both kinds in every place.
        #expect(numbers.reduce(0, |) == .max && numbers.reduce(.max, &) == 0)
    }
}
