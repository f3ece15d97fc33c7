import JSON
import Secure
import Testing
import Vocabulary

@testable import Service

@Suite("Apple's push service")
struct APNsTests {
    private static let now = WallTime(seconds: 1_800_000_000)

    private static func answer(_ status: UInt16, _ body: String, retryAfter: String? = nil) -> PushAnswer {
        PushAnswer(apns: status, retryAfter: retryAfter, Array(body.utf8), since: self.now)
    }

    @Test("H13 a device is dropped when APNs says that its token ended after it was registered")
    func gone() {
        let before = Self.now.milliseconds - 1
        #expect(Self.answer(410, #"{"reason":"Unregistered"}"#) == .gone)
        #expect(Self.answer(410, #"{"reason":"Unregistered","timestamp":\#(before + 1)}"#) == .gone)
        let refused = PushAnswer.refused(trouble: "APNs answered 410 Unregistered")
        #expect(Self.answer(410, #"{"reason":"Unregistered","timestamp":\#(before)}"#) == refused)
        #expect(Self.answer(400, #"{"reason":"BadDeviceToken"}"#) == .gone)
    }

    @Test(
        "An error of APNs is shown as a word or not at all",
        arguments: ["", "[]", "{", #"{"reason":7}"#, #"{"reason":"<b>"}"#, #"{"reason":""}"#])
    func odd(body: String) {
        #expect(Self.answer(400, body) == .refused(trouble: "APNs answered 400"))
    }

    @Test("H13 a push service says how long to wait in seconds or by a date")
    func waits() {
        #expect(PushAnswer.wait("7", at: Self.now) == .seconds(7))
        #expect(PushAnswer.wait("-7", at: Self.now) == .seconds(0))
        #expect(PushAnswer.wait("Fri, 15 Jan 2027 08:00:30 GMT", at: Self.now) == .seconds(30))
        #expect(PushAnswer.wait("Fri, 15 Jan 2027 07:00:00 GMT", at: Self.now) == .seconds(0))
        #expect(PushAnswer.wait("soon", at: Self.now) == nil)
        #expect(PushAnswer.wait(nil, at: Self.now) == nil)
    }

    @Test("A token for APNs lasts 50 minutes, and is replaced when refused once in 20")
    func access() throws {
        let key = try APNsKey(pem: P256Key().pem, keyID: "KEY4567890", team: "TEAM567890")
        var access = APNsAccess(key)
        func token(_ minutes: Int) throws -> String { try access.token(at: Self.now, .seconds(minutes * 60)) }
        let first = try token(0)
        #expect(try token(49) == first)
        let second = try token(50)
        #expect(second != first)
        func mayGoBetter(_ token: String, _ seconds: Int) -> Bool { access.wasRefused(token, .seconds(seconds)) }
        #expect(mayGoBetter(first, 3000), "another one has come meanwhile")
        #expect(try token(50) == second)
        #expect(mayGoBetter(second, 3001))
        let third = try token(51)
        #expect(third != second)
        #expect(!mayGoBetter(third, 3100))
        #expect(try token(52) == third)
        #expect(mayGoBetter(third, 3001 + 1200))
    }

    @Test(
        "A key for APNs names itself and its team by 10 letters and digits",
        arguments: ["", "KEY-567890", "KEY45678901"])
    func keys(id: String) throws {
        let pem = try P256Key().pem
        #expect(throws: SecureError.self) { try APNsKey(pem: pem, keyID: id, team: "TEAM567890") }
        #expect(throws: SecureError.self) { try APNsKey(pem: pem, keyID: "KEY4567890", team: id) }
    }

    @Test("H08 a push by APNs shows what there is to show, and a sealed one only that there is something")
    func messages() {
        let plain = Array(#"{"type":"message","title":"Tea","name":"Ann","text":"hi","badge":2}"#.utf8)
        let open = APNsMessage(plain, sealed: nil, language: "en", topic: "t")
        #expect(open.kind == .alert && open.priority == 10)
        let json = String(decoding: open.json, as: UTF8.self)
        #expect(json.contains(#""alert":{"title":"Tea","body":"Ann: hi"}"#) && json.contains(#""badge":2"#))
        let sealed = APNsMessage(plain, sealed: [1, 2, 3], language: "en", topic: "t")
        let text = String(decoding: sealed.json, as: UTF8.self)
        #expect(text.contains(#""sealed":"AQID""#) && text.contains("New message"))
        for secret in ["Tea", "Ann", "hi", "badge"] { #expect(!text.contains(secret)) }
        let read = APNsMessage(Array(#"{"type":"read","badge":1}"#.utf8), sealed: nil, language: nil, topic: "t")
        #expect(read.kind == .background && read.priority == 5)
        #expect(String(decoding: read.json, as: UTF8.self).hasPrefix(#"{"aps":{"content-available":1},"#))
    }

    @Test("H07 a token of APNs keeps its environment", arguments: [nil, "production", "development"])
    func tokens(environment: String?) throws {
        let token = try APNsToken(String(repeating: "AB", count: 32), environment)
        #expect(token.environment.rawValue == environment ?? "production")
        #expect(token.text == String(repeating: "ab", count: 32))
        #expect(APNsToken(endpoint: token.endpoint) == token)
        #expect(APNsToken(endpoint: "fcm:x") == nil && APNsToken(endpoint: "apns:other:00") == nil)
    }
}
