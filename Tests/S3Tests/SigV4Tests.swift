import Testing
import Vocabulary
import Web

@testable import S3

/// Against the examples that AWS publishes: of S3's own documentation ("Signature Calculations for the Authorization Header", "Authenticating
/// Requests: Using Query Parameters"), and of the suite for signatures of version 4.
@Suite("Signatures of version 4")
struct SigV4Tests {
    private let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /// 2013-05-24, midnight.
    private let time = WallTime(seconds: 1_369_353_600)
    private let host = "examplebucket.s3.amazonaws.com"

    private func signer() throws -> SigV4 {
        let keys = try S3Keys(id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        return SigV4(keys, region: "us-east-1")
    }

    private func signature(
        _ method: String, _ path: String, _ query: SigV4.Pairs = [], _ fields: SigV4.Pairs = [], payload: String
    ) throws -> String {
        let own: SigV4.Pairs = [
            ("Host", self.host), ("x-amz-date", "20130524T000000Z"), ("x-amz-content-sha256", payload),
        ]
        let value = try self.signer().authorization(
            method, path: path, query: query, fields: fields + own, payload: payload, at: self.time)
        return String(try #require(value.split(separator: "=").last))
    }

    @Test("S01.signature get a range of bytes, as S3's documentation has it")
    func range() throws {
        let signature = try self.signature("GET", "/test.txt", [], [("Range", "bytes=0-9")], payload: self.empty)
        #expect(signature == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test("S01.signature put something new, with an escape in the path")
    func put() throws {
        let signature = try self.signature(
            "PUT", "/test%24file.text", [],
            [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        #expect(signature == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test("S01.signature a query without a value, and one with two")
    func queries() throws {
        let lifecycle = try self.signature("GET", "/", [("lifecycle", "")], payload: self.empty)
        #expect(lifecycle == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        let list = try self.signature("GET", "/", [("prefix", "J"), ("max-keys", "2")], payload: self.empty)
        #expect(list == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    @Test("S01.signature a link that works for a day")
    func link() throws {
        let query = try self.signer().presigned(
            "GET", path: "/test.txt", query: [], host: self.host, at: self.time, seconds: 86400)
        #expect(
            query == """
                X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F\
                aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=\
                aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404
                """)
    }

    @Test(
        "S01.signature the suite: plain, with a query, with blanks in a field",
        arguments: [
            ([], [], "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (
                [("Param2", "value2"), ("Param1", "value1")], [],
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
            (
                [], [("My-Header1", " value1"), ("My-Header2", "  \"a   b   c\"")],
                "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
            ),
        ] as [([(String, String)], [(String, String)], String)])
    func suite(query: [(String, String)], fields: [(String, String)], expected: String) throws {
        let keys = try S3Keys(id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let own: SigV4.Pairs = [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")]
        let value = SigV4(keys, region: "us-east-1", service: "service").authorization(
            "GET", path: "/", query: query.map { (name: $0.0, value: $0.1) },
            fields: own + fields.map { (name: $0.0, value: $0.1) }, payload: self.empty,
            at: WallTime(seconds: 1_440_938_160))
        #expect(value.hasSuffix("Signature=\(expected)"), "\(value)")
    }

    @Test(
        "S01.signature days are days of the calendar",
        arguments: [
            (0, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (1_709_251_199, "20240229T235959Z"),
            (4_102_444_799, "20991231T235959Z"),
        ])
    func stamps(seconds: Int64, text: String) {
        #expect(SigV4.Stamp(WallTime(seconds: seconds)).text == text)
    }
}
