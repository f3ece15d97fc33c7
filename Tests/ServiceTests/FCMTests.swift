import JSON
import Testing

@testable import Service

@Suite("Firebase Cloud Messaging")
struct FCMTests {
    private static func error(_ status: String, _ code: String?) -> [UInt8] {
        let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
        let detail = code.map {
            #"{"@type":"type.googleapis.com/google.rpc.BadRequest"},{"@type":"\#(type)","errorCode":"\#($0)"}"#
        }
        return Array(#"{"error":{"status":"\#(status)","details":[\#(detail ?? "")]}}"#.utf8)
    }

    @Test("H13 an answer of FCM that says later names the wait")
    func waits() {
        let quota = PushAnswer(fcm: 429, retryAfter: nil, Self.error("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"))
        let words = "FCM answered 429 QUOTA_EXCEEDED"
        #expect(quota == .later(retryAfter: .seconds(60), firstWait: nil, trouble: words))
        let soon = PushAnswer(fcm: 429, retryAfter: "7", Self.error("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"))
        #expect(soon == .later(retryAfter: .seconds(7), firstWait: nil, trouble: words))
        let down = PushAnswer(fcm: 503, retryAfter: nil, Self.error("UNAVAILABLE", nil))
        #expect(down == .later(retryAfter: nil, firstWait: .seconds(10), trouble: "FCM answered 503 UNAVAILABLE"))
    }

    @Test(
        "H13 only UNREGISTERED tells FCM's devices gone",
        arguments: [(404, "UNREGISTERED"), (404, "NOT_FOUND"), (410, "UNREGISTERED")])
    func gone(status: UInt16, code: String) {
        let isGone = PushAnswer(fcm: status, retryAfter: nil, Self.error("NOT_FOUND", code)) == .gone
        #expect(isGone == (status == 404 && code == "UNREGISTERED"))
    }

    @Test(
        "An error of FCM is shown as a word or not at all",
        arguments: ["", "[]", "{", #"{"error":7}"#, #"{"error":{"status":"<b>"}}"#, #"{"error":{"status":""}}"#])
    func odd(body: String) {
        #expect(PushAnswer(fcm: 400, retryAfter: nil, Array(body.utf8)) == .refused(trouble: "FCM answered 400"))
    }

    private static func envelope() throws -> FCMMessage.Envelope {
        FCMMessage.Envelope(token: try FCMToken("t"), topic: "topic", urgency: .high, life: 9_999_999)
    }

    @Test("H08 the payload of a push by FCM is counted in bytes of names and values")
    func size() throws {
        let message = FCMMessage(Array(#"{"type":"test","a":"é","n":12,"list":[1]}"#.utf8), .data, try Self.envelope())
        #expect(message.payloadBytes == 8 + 3 + 3 + 7)
        let json = String(decoding: message.json, as: UTF8.self)
        #expect(json.contains(#""n":"12""#) && json.contains(#""list":"[1]""#))
        #expect(json.contains(#""ttl":"2419200s""#), "FCM keeps nothing longer")
    }

    @Test("H12 a notice names the conversation, the sender and the words as far as they are there")
    func notice() throws {
        func notice(_ json: String) -> [String]? {
            PushNotice(Array(json.utf8)).map { [$0.title, $0.body] }
        }
        #expect(notice(#"{"type":"message","title":"Tea","name":"Ann","text":"hi"}"#) == ["Tea", "Ann: hi"])
        #expect(notice(#"{"type":"message","name":"Ann","text":"hi"}"#) == ["Ann", "hi"])
        #expect(notice(#"{"type":"message","words":"新消息"}"#) == ["新消息", "新消息"])
        #expect(notice(#"{"type":"call","name":"Ann","words":"Incoming call"}"#) == ["Ann", "Incoming call"])
        #expect(notice(#"{"type":"callOver"}"#) == nil, "there is nothing to show")
    }
}
