import Conversing
import TestSupport
import Testing
import Vocabulary

@testable import Service

@Suite("Messages in the words of RongCloud's Server API")
struct RongCloudWordsTests {
    private static let user = UserID("u") ?? { preconditionFailure("no user id") }()

    private func form(_ type: String, _ content: String, _ more: String = "") throws -> RongCloudForm {
        try #require(RongCloudForm(Array("objectName=\(type)&content=\(content)\(more)".utf8)))
    }

    private func entry(_ draft: Draft) -> Entry {
        var entry = Entry(number: 1, counted: 1, sort: .message, sender: Self.user, time: WallTime(seconds: 1))
        entry.kind = draft.kind
        entry.body = draft.body.json
        return entry
    }

    @Test(
        "M03.history come back to programs byte for byte",
        arguments: [
            ("RC:TxtMsg", #"{"content":"a","b":[1, 2],"u":"\u4f60"}"#), ("My:Type", "no JSON"),
            ("My:Type", #"{"a": 1 }"#),
            ("RC:LBSMsg", #"{"latitude":1.50,"longitude":2,"poi":"x"}"#), ("RC:CmdMsg", "{}"), ("My:Type", "\"text\""),
        ])
    func bytes(type: String, content: String) throws {
        let draft = try RongCloudMessage(self.form(type, content)).draft(showing: nil)
        let words = RongCloudWords(self.entry(draft))
        #expect(words.type == type && words.content == content)
    }

    @Test(
        "D14.raw what people say has the type that comes nearest",
        arguments: [
            ("text", #"{"text":"x"}"#, "RC:TxtMsg", #"{"content":"x"}"#),
            ("notice", #"{"text":"x"}"#, "RC:InfoNtf", #"{"message":"x"}"#),
            (
                "image", #"{"file":"AAAAAAAAAAAAAAAAAAAA","name":"n"}"#, "RC:ImgMsg",
                #"{"imageUri":"/v1/files/AAAAAAAAAAAAAAAAAAAA/content","name":"n"}"#
            ),
            ("card", #"{"title":"t"}"#, "Parley:card", #"{"title":"t"}"#),
            ("image", #"{}"#, "Parley:image", #"{}"#),
            ("text", #"{"rc":{"objectName":1},"text":"x"}"#, "RC:TxtMsg", #"{"content":"x"}"#),
        ])
    func people(kind: String, body: String, type: String, content: String) throws {
        let draft = Draft(try #require(MessageKind(kind)), MessageBody(proven: Array(body.utf8)))
        let words = RongCloudWords(self.entry(draft))
        #expect(words.type == type && words.content == content)
    }

    @Test("M05.counted types that people read are counted and wake devices, and programs may say otherwise")
    func flags() throws {
        func draft(_ type: String, _ more: String = "") throws -> Draft {
            try RongCloudMessage(self.form(type, #"{"content":"x"}"#, more)).draft(showing: nil)
        }
        for (type, counts, wakes) in [("RC:TxtMsg", true, true), ("RC:CmdMsg", false, false), ("My:Type", true, false)]
        {
            let draft = try draft(type)
            #expect(draft.isCounted == counts && draft.wakes == wakes, "\(type)")
        }
        #expect(try !draft("RC:TxtMsg", "&isCounted=0&disablePush=true").isCounted)
        #expect(try !draft("RC:TxtMsg", "&disablePush=True&pushContent=x").wakes)
        let pushed = try draft("My:Type", "&pushContent=words")
        #expect(pushed.wakes && pushed.body.alert == "words")
    }

    @Test("M02.types whatever the content is, it becomes a message or is refused")
    func anything() throws {
        var random = SeededRandom(seed: 11)
        let types = ["RC:TxtMsg", "RC:ImgMsg", "RC:VcMsg", "RC:LBSMsg", "RC:ReferenceMsg", "RC:RcCmd", "My:Type"]
        let letters = Array(#"{}[]",:content imageUri0123\"#.utf8)
        for _ in 0..<3000 {
            let content = (0..<Int.random(in: 1...50, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            let type = try #require(types.randomElement(using: &random))
            guard let form = RongCloudForm(Array("objectName=\(type)&content=".utf8) + content),
                let message = try? RongCloudMessage(form)
            else { continue }
            let draft = message.draft(showing: nil)
            #expect(LooseObject(draft.body.json) != nil && message.heldFile != [])
        }
    }
}
