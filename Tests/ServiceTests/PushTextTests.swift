import Calling
import Conversing
import JSON
import Testing
import Vocabulary

@testable import Keeping
@testable import Service

@Suite("The words of notifications")
struct PushTextTests {
    @Test("H12.words Everything a notification says by itself is there in every language", arguments: PushText.allCases)
    func languages(text: PushText) {
        let words = PushText.Language.allCases.map { text.text(in: $0) }
        #expect(words.allSatisfy { !$0.isEmpty })
        #expect(Set(words).count == words.count, "each language has its own")
        #expect(text.text(in: .english).utf8.allSatisfy { $0 < 0x80 })
        #expect(text.text(in: .chinese).unicodeScalars.contains { $0.properties.isIdeographic })
    }

    @Test("H12.words Every kind of message has words of its own in a notification", arguments: MessageKind.common)
    func kinds(kind: MessageKind) {
        let text = PushText(kind, MessageBody(proven: Array("{}".utf8)))
        let isPlain = [.text, .custom].contains(kind)
        #expect((text == .message) == isPlain)
        let others = MessageKind.common.filter { $0 != kind && ![.text, .custom].contains($0) }
        #expect(others.allSatisfy { PushText($0, nil) != text })
    }

    @Test("H12.words A kind that only its programs know is a new message in a notification")
    func unknownKind() {
        #expect(PushText(MessageKind("tea"), nil) == .message && PushText(nil, nil) == .message)
    }

    @Test("H12.words A notification says how a call went", arguments: CallOutcome.allCases)
    func outcomes(outcome: CallOutcome) {
        let body = MessageBody(proven: Array(#"{"kind":"audio","outcome":"\#(outcome.rawValue)"}"#.utf8))
        #expect(PushText(.call, body) == PushText(outcome))
        #expect((PushText(outcome) == .callCompleted) == (outcome == .completed))
        for odd in ["{}", #"{"outcome":"tea"}"#, #"{"outcome":7}"#] {
            #expect(PushText(.call, MessageBody(proven: Array(odd.utf8))) == .callCompleted)
        }
    }

    @Test(
        "H12.words The first part of a device's language chooses the words, and English is for all others",
        arguments: [
            ("zh", "zh"), ("zh-CN", "zh"), ("ZH-hant-TW", "zh"), ("zh_TW", "zh"), ("en", "en"), ("en-GB", "en"),
            ("fr", "en"), ("zho", "en"), ("", "en"), ("-zh", "en"), (nil, "en"),
        ])
    func folding(tag: String?, language: String) {
        #expect(PushText.Language(tag).rawValue == language)
    }
}

@Suite("How much a push says")
struct PushContentTests {
    /// Words of people, of which a push without contents has none.
    private static let secrets = ["ann", "Ann", "Tea", "words", "report"]

    private static func pending(_ kind: MessageKind, _ body: String) throws -> PendingPush {
        var entry = Entry(
            number: 7, counted: 7, sort: .message, sender: try #require(UserID("ann")), time: WallTime(seconds: 1))
        entry.kind = kind
        entry.body = Array(body.utf8)
        return PendingPush(
            number: 1, conversation: try #require(ConversationID("c-1")), kind: .group, title: DisplayName("Tea party"),
            key: ConversationKey(1), entry: entry, senderName: DisplayName("Ann"))
    }

    private static func message(
        _ kind: MessageKind, _ content: PushSettings.Content, _ body: String = #"{"text":"words"}"#
    ) throws -> PushMessage {
        PushMessage(try self.pending(kind, body), id: .fresh(), badge: 3, content)
    }

    private static func call(_ kind: CallKind, _ content: PushSettings.Content) throws -> PushMessage {
        let caller = Line(try #require(UserID("ann")), SessionID(.fresh()))
        let invitation = CallInvitation(
            CallID(.fresh()), from: caller, to: try #require(UserID("bob")), kind: kind)
        return PushMessage(
            invitation, callerName: try #require(DisplayName("Ann")), at: WallTime(seconds: 1), for: .seconds(45),
            content)
    }

    /// All bytes that any push service gets of it, but those that only the device can open.
    private static func forms(of message: PushMessage, in language: String?) throws -> [[UInt8]] {
        let envelope = FCMMessage.Envelope(token: try FCMToken("t"), topic: "topic", urgency: .high, life: 60)
        return [false, true].flatMap { idsAlone in
            let plain = message.plain(for: language, idsAlone: idsAlone)
            return [
                plain, APNsMessage(plain, sealed: nil, language: language, topic: "topic").json,
                APNsMessage(plain, sealed: [1, 2], language: language, topic: "topic").json,
                FCMMessage(plain, .data, envelope).json, FCMMessage(plain, .notification, envelope).json,
                FCMMessage(sealed: [1, 2], envelope).json,
            ]
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(
        "H01.content Without contents no push of any message says a word of its sender's", arguments: MessageKind.common
    )
    func none(kind: MessageKind) throws {
        let body = #"{"text":"words","name":"report","outcome":"noAnswer"}"#
        for language in [nil, "en", "zh-CN"] {
            for form in try Self.forms(of: Self.message(kind, .none, body), in: language) {
                let form = Self.text(form)
                for secret in Self.secrets + ["messageKind", "\"\(kind.text)\""] where secret != "words" {
                    #expect(!form.contains(secret), "\(secret) in \(form)")
                }
                #expect(!form.replacing(#""words":"#, with: "").contains("words"))
            }
        }
    }

    @Test("H01.content Without contents no push of a call says who calls, or how", arguments: CallKind.allCases)
    func noneOfCalls(kind: CallKind) throws {
        for form in try Self.forms(of: Self.call(kind, .none), in: "en") {
            for secret in ["ann", "Ann", "\"kind\"", kind.rawValue] { #expect(!Self.text(form).contains(secret)) }
        }
        let plain = Self.text(try Self.call(kind, .none).plain(for: "zh-TW"))
        #expect(plain.contains(#""words":"来电""#))
    }

    @Test("H01.content With the sender alone a push names who writes, and says nothing of the message")
    func sender() throws {
        for kind in MessageKind.common {
            let plain = Self.text(try Self.message(kind, .sender).plain(for: nil))
            #expect(plain.contains(#""name":"Ann""#) && plain.contains(#""words":"New message""#))
            #expect(!plain.contains("messageKind") && !plain.contains(#""text""#))
        }
    }

    @Test("H01.content With all of it a push has the sender's words, or says of which kind they are")
    func full() throws {
        let said = Self.text(try Self.message(.text, .full).plain(for: "zh"))
        #expect(said.contains(#""text":"words""#) && !said.contains(#""words":"#))
        let picture = try Self.message(.image, .full, #"{"file":"f"}"#)
        #expect(Self.text(picture.plain(for: "zh")).contains(#""words":"[图片]""#))
        #expect(Self.text(picture.plain(for: nil)).contains(#""words":"[Picture]""#))
        let short = Self.text(picture.plain(for: "zh", idsAlone: true))
        #expect(short.contains(#""words":"新消息""#) && !short.contains("Ann"))
        _ = try JSONObject(Array(short.utf8).span)
    }

    @Test("H08 A push of letters with many marks is short enough to be sealed")
    func marks() throws {
        let letter = "e" + String(repeating: "\u{301}", count: 60)
        for text in [String(repeating: letter, count: 200), String(repeating: "\\u0001", count: 300)] {
            let message = try Self.message(.text, .full, #"{"text":"\#(text)"}"#)
            #expect(message.plain(for: "zh").count <= 3993)
        }
    }

    @Test(
        "H12.words Every push service shows the same words",
        arguments: [("zh-CN", "[语音]"), ("en-GB", "[Voice message]")])
    func sameWords(language: String, words: String) throws {
        for form in try Self.forms(of: Self.message(.voice, .full, #"{"file":"f"}"#), in: language).prefix(2) {
            #expect(Self.text(form).contains(words))
        }
    }
}
