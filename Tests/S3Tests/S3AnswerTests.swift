import Bytes
import Testing
import Vocabulary
import Web

@testable import S3

@Suite("What a store says")
struct S3AnswerTests {
    private static let list = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a comment -->
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix/>
        <IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b&#x3d;</NextContinuationToken>
        <Contents><Key>p/ab/cd</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified><Size>434</Size></Contents>
        <Contents><Key>p/&lt;&#62;</Key><LastModified>yesterday</LastModified><Size>x</Size></Contents>
        </ListBucketResult>
        """

    @Test("S01.answers a list is read, with where the rest begins")
    func lists() throws {
        let list = try S3List(parsing: Array(Self.list.utf8))
        #expect(list.next == "a&b=")
        #expect(list.items.map(\.key) == ["p/ab/cd", "p/<>"] && list.items.map(\.size) == [434, 0])
        #expect(list.items.map(\.time) == [WallTime(seconds: 1_255_369_830), nil])
    }

    @Test("S01.answers what is cut anywhere is refused")
    func cut() {
        let bytes = Array(Self.list.utf8)
        let end = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
        for count in 0...end {
            #expect(throws: XMLElement.Failure.self) { try S3List(parsing: Array(bytes[..<count])) }
        }
    }

    @Test(
        "S01.answers what is no answer of a store is refused",
        arguments: [
            "", "x", "<a>", "<a></b>", "<a/><b/>", "</a>", "<a>&unknown;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
            "<a>&amp</a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<>", "< a/>", "<a", "<!-- ", "<a/>x",
        ])
    func refused(text: String) {
        #expect(throws: XMLElement.Failure.self) { try XMLElement(parsing: Array(text.utf8)) }
    }

    @Test("S01.answers depth, elements and bytes have a bound")
    func bounds() throws {
        let deep = String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)
        #expect(throws: XMLElement.Failure.tooMuch) { try XMLElement(parsing: Array(deep.utf8)) }
        let many = "<a>" + String(repeating: "<b/>", count: XMLElement.Limit.elements) + "</a>"
        #expect(throws: XMLElement.Failure.tooMuch) { try XMLElement(parsing: Array(many.utf8)) }
        let long = [UInt8](repeating: 32, count: XMLElement.Limit.bytes + 1)
        #expect(throws: XMLElement.Failure.tooMuch) { try XMLElement(parsing: long) }
    }

    @Test(
        "S01.answers an error says what there is to do",
        arguments: [
            (403, "SignatureDoesNotMatch", S3Problem.Reason.setup, "AWS_SECRET_ACCESS_KEY"),
            (403, "InvalidAccessKeyId", .setup, "AWS_ACCESS_KEY_ID"), (403, "RequestTimeTooSkewed", .setup, "NTP"),
            (404, "NoSuchBucket", .setup, "bucket"), (404, "NoSuchKey", .missing, ""),
            (412, "PreconditionFailed", .exists, ""),
            (503, "SlowDown", .passing, ""), (500, "", .passing, "500"), (501, "NotImplemented", .unknownRequest, ""),
            (200, "InternalError", .passing, ""), (403, "AccessDenied", .setup, "allow"),
        ])
    func problems(status: Int, code: String, reason: S3Problem.Reason, words: String) throws {
        let body = "<Error><Code>\(code)</Code><Message>\u{1B}[31m</Message></Error>"
        let status = try #require(HTTPStatus(code: status, reason: ""))
        let problem = try #require(S3Problem(status, Array(body.utf8)))
        #expect(problem.reason == reason && problem.description.contains(words), "\(problem)")
    }

    @Test("S01.answers what went well is no error")
    func fine() throws {
        #expect(
            S3Problem(.ok, Array("<CompleteMultipartUploadResult/>".utf8)) == nil && S3Problem(.noContent, []) == nil)
    }
}

@Suite("Where a store is")
struct S3AddressTests {
    @Test("S01.address an endpoint has the bucket in its path, AWS in its name")
    func styles() throws {
        let own = try #require(S3Address("s3://files/a/b/?endpoint=http://[::1]:9000/&region=eu-1"))
        #expect(own.server == "http://[::1]:9000" && own.path(of: "k") == "/files/k" && own.prefix == "a/b")
        let named = try #require(S3Address("s3://files?endpoint=https://s3.example.org&style=host"))
        #expect(named.server == "https://files.s3.example.org" && named.path(of: "k") == "/k")
        let cloud = try #require(S3Address("s3://files?region=eu-central-1"))
        #expect(cloud.server == "https://files.s3.eu-central-1.amazonaws.com" && cloud.linkSeconds == 3600)
    }

    @Test(
        "S01.address anything else is refused",
        arguments: [
            "", "s3://", "s3://ab", "s3://Files", "s3://a..b", "http://files", "s3://files/../x", "s3://files/a b",
            "s3://files?endpoint=ftp://x", "s3://files?endpoint=http://u:p@x", "s3://files?region=a/b",
            "s3://files?links=0",
            "s3://files?links=3601", "s3://files?secret=x", "s3://files?style=other", "s3://files?endpoint=http://x/y",
        ])
    func refused(text: String) { #expect(S3Address(text) == nil) }

    @Test("S01.address names are ours alone, and come back as the hash they were made of")
    func names() throws {
        let names = S3Names(in: try #require(S3Address("s3://files/p")))
        let hash = try #require(ContentHash([UInt8](repeating: 0xAB, count: 32)))
        #expect(
            names.hash(of: names.key(of: hash)) == hash && names.hash(of: names.key(of: hash, isSmall: true)) == nil)
        #expect(names.key(of: hash).hasPrefix(names.start(ofFolder: 0xAB)) && names.start(ofFolder: 5) == "p/05/")
        for other in ["", "p/", "q/ab/cd", "p/ab", "p/ab/../../x", "p/a/b/c"] { #expect(names.hash(of: other) == nil) }
    }

    @Test("S01.address keys come from the environment or a file, and never half")
    func keys() throws {
        let file =
            "# mine\n[default]\nAWS_ACCESS_KEY_ID = a\naws_secret_access_key=b=c \n[other]\naws_access_key_id = x\n"
        let keys = try S3Keys(file: file)
        #expect(keys.id == "a" && keys.secret == "b=c" && keys.session == nil)
        #expect(throws: S3Keys.Trouble.missing) { try S3Keys(file: "aws_access_key_id = a") }
        #expect(throws: S3Keys.Trouble.missing) { try S3Keys(environment: ["AWS_ACCESS_KEY_ID": "a"]) }
        #expect(throws: S3Keys.Trouble.malformed) { try S3Keys(id: "a b", secret: "c") }
    }
}
