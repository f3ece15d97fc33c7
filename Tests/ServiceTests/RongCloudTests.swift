import Conversing
import Keeping
import TestSupport
import Testing
import Vocabulary
import Web

@testable import Service

@Suite("The form of RongCloud's Server API")
struct RongCloudFormTests {
    private func form(_ text: String) throws -> RongCloudForm { try #require(RongCloudForm(Array(text.utf8))) }

    @Test(
        "M02.forms fields are understood however much of them is escaped",
        arguments: [
            ("a=1&b=%E8%8C%B6&a=2", ["a": ["1", "2"], "b": ["茶"]]), ("a=x+y", ["a": ["x y"]]),
            ("a=x%2By", ["a": ["x+y"]]),
            ("a={\"k\": \"x+y\"}", ["a": ["{\"k\": \"x+y\"}"]]), ("a=100%&b=%zz", ["a": ["100%"], "b": ["%zz"]]),
            ("a=b=c&&d", ["a": ["b=c"], "d": []]), ("", [:]), ("a=%", ["a": ["%"]]), ("a=%4", ["a": ["%4"]]),
            ("茶=水", ["茶": ["水"]]), ("a%3Db=c", ["a=b": ["c"]]),
        ])
    func fields(text: String, values: [String: [String]]) throws {
        let form = try self.form(text)
        for (name, values) in values { #expect(form.values(of: name) == values) }
    }

    @Test("M02.forms names with brackets have members")
    func members() throws {
        let form = try self.form("group[10001]=茶&group[a]=b&group=c&groups[x]=y&group[=z")
        #expect(form.members(of: "group").map(\.key) == ["10001", "a"])
        #expect(form.members(of: "group").map(\.value) == ["茶", "b"])
    }

    @Test("M02.forms what is no UTF-8, and more fields than there may be, are no form")
    func limits() {
        #expect(RongCloudForm(Array("a=%FF".utf8)) == nil)
        #expect(RongCloudForm([0x61, 0x3D, 0xC3]) == nil)
        let most = Array(repeating: "a=1", count: RongCloudForm.maximumItems)
        #expect(RongCloudForm(Array(most.joined(separator: "&").utf8))?.items.count == most.count)
        #expect(RongCloudForm(Array((most + ["a=1"]).joined(separator: "&").utf8)) == nil)
    }

    @Test("M02.forms whatever comes is a form or is none")
    func anything() {
        var random = SeededRandom(seed: 7)
        let letters = Array("ab=&%+[]{}\"é4F".utf8)
        for _ in 0..<5000 {
            let body = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            guard let form = RongCloudForm(body) else { continue }
            #expect(form.items.allSatisfy { $0.name.utf8.count + $0.value.utf8.count <= body.count })
            #expect(form.members(of: "a").allSatisfy { !$0.key.hasSuffix("]]") || $0.key.count > 1 })
        }
    }

    @Test("M04.codes a field that is not what it should be is named")
    func refusals() throws {
        let form = try self.form("n=5&f=maybe&long=xxxxx&u=a b&v=a/b")
        #expect(throws: RongCloudProblem.missing("x")) { try form.required("x") }
        #expect(throws: RongCloudProblem.illegal("n", "a number from 0 to 4")) { try form.number("n", in: 0...4) }
        #expect(throws: RongCloudProblem.illegal("f", "0 or 1")) { try form.flag("f", else: true) }
        #expect(throws: RongCloudProblem.tooLong("long", 4)) { try form.text("long", maximum: 4) }
        #expect(throws: RongCloudProblem.self) { try form.user("v") }
        // No id has a space in it: a plus sign was meant.
        #expect(try form.user("u").text == "a+b")
    }
}

@Suite("The signature of RongCloud's Server API")
struct RongCloudSignatureTests {
    private static let now = WallTime(milliseconds: 1_408_706_337_000)

    private func signature(_ time: String, nonce: String = "14314") throws -> RongCloudSignature {
        var fields = HTTPFields()
        let signature = RongCloudSignature.sign(secret: "Y1W2MeFwwwRxa0", nonce: nonce, timestamp: time)
        for (name, value) in [("App-Key", "k"), ("Nonce", nonce), ("Timestamp", time), ("Signature", signature)] {
            fields.append(try #require(HTTPFieldName(name)), value)
        }
        return try RongCloudSignature(fields)
    }

    @Test("M01.signature is the hash of secret, nonce and time")
    func vector() {
        // SHA-1 of the three texts, one behind the other, by another implementation.
        let signature = RongCloudSignature.sign(secret: "Y1W2MeFwwwRxa0", nonce: "14314", timestamp: "1408706337")
        #expect(signature == "e107e3819638b81a00383951d1d871197910ffe6")
    }

    @Test("M01.signature counts seconds and milliseconds")
    func times() throws {
        #expect(try self.signature("1408706337").time == Self.now)
        #expect(try self.signature("1408706337000").time == Self.now)
        for text in ["", "-1", "14087063370000000", "x", "1e9"] {
            #expect(throws: RongCloudProblem.self) { try self.signature(text) }
        }
    }

    @Test("M01.window ends after five minutes on both sides")
    func window() throws {
        let signature = try self.signature("1408706337")
        for (distance, isRight) in [(0, true), (300, true), (-300, true), (301, false), (-301, false)] {
            let now = Self.now + .seconds(distance)
            #expect(((try? signature.checkAge(at: now)) != nil) == isRight)
        }
    }

    @Test("M01.replay each request counts once, and is forgotten when its time is over")
    func replays() throws {
        var guardian = RongCloudReplayGuard(maximum: 2)
        let first = try self.signature("1408706337")
        #expect(guardian.take(first, at: Self.now) == .fresh)
        #expect(guardian.take(first, at: Self.now) == .replayed)
        #expect(guardian.take(try self.signature("1408706337", nonce: "2"), at: Self.now) == .fresh)
        #expect(guardian.take(try self.signature("1408706337", nonce: "3"), at: Self.now) == .full)
        let later = Self.now + .seconds(300)
        #expect(guardian.take(first, at: later) == .replayed)
        #expect(guardian.take(try self.signature("1408706700", nonce: "4"), at: later + .seconds(61)) == .fresh)
    }
}

@Suite("The keys of RongCloud's Server API")
struct RongCloudKeysTests {
    @Test("M01.signature are read from lines with remarks")
    func keys() throws {
        let keys = try RongCloudKeys("# mine\nn19jmcy59f1q9:CuhqdZMeuLsKj\n\nother:0123456789abcdef\n")
        #expect(keys.secret(of: "n19jmcy59f1q9") == "CuhqdZMeuLsKj" && keys.secret(of: "x") == nil && !keys.isEmpty)
        #expect(RongCloudKeys.none.isEmpty)
    }

    @Test(
        "M01.signature are refused where they can be guessed, are there twice or are none",
        arguments: [
            "", "# none", "key", "key:short", "key:aaaaaaaaaaaaaaaa", "0123456789abc:0123456789abc", "k:0123456789ab:c",
            "k:0123456789ab\nk:0123456789cd", "k!:0123456789ab", "k:0123456789 ab",
        ])
    func faults(text: String) { #expect(throws: RongCloudKeys.Fault.self) { try RongCloudKeys(text) } }
}

@Suite("The ids of messages in RongCloud's Server API")
struct RongCloudMessageUIDTests {
    @Test("M03.uid leads back to its message, and a wrong letter leads nowhere")
    func ids() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let key = EntryKey(
                ConversationKey(Int64.random(in: 1..<1 << 31, using: &random)),
                UInt64.random(in: 1..<1 << 32, using: &random))
            let text = RongCloudMessageUID(key).text
            #expect(text.utf8.count == 19 && text.split(separator: "-").allSatisfy { $0.count == 4 })
            #expect(try #require(RongCloudMessageUID(text)).key == key)
            let wrong = text.map { $0 == "0" ? "1" : $0 == "7" ? "8" : $0 }
            #expect(String(wrong) == text || RongCloudMessageUID(String(wrong)) == nil)
        }
        for text in [
            "", "AAAA-BBBB-CCCC", "AAAA-BBBB-CCCC-DDDDD", "aaaa-bbbb-cccc-dddd", "0000-0000-0000-0000",
            "ÄAAA-BBBB-CCCC-DDDD",
        ] {
            #expect(RongCloudMessageUID(text) == nil)
        }
    }
}
