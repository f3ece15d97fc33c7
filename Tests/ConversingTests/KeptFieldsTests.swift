import Conversing
import Testing
import Vocabulary

@Suite("Fields that only the server writes")
struct KeptFieldsTests {
    private let kept = KeptFields(members: ["by"], idPrefixes: ["ticket-"])
        .joined(with: KeptFields(members: ["as"], idPrefixes: ["x-"]))

    private func body(_ json: String) -> MessageBody { MessageBody(proven: Array(json.utf8)) }

    @Test("Kept members of a body are found under their names, however these are escaped")
    func members() {
        for json in [#"{"by":1}"#, #"{"text":"a","as":{}}"#, #"{"\u0062y":null}"#] {
            #expect(self.kept.appear(in: self.body(json)), "\(json)")
        }
        for json in [#"{"text":"by"}"#, #"{"deep":{"by":1}}"#, "{}"] {
            #expect(!self.kept.appear(in: self.body(json)), "\(json)")
        }
        #expect(!KeptFields().appear(in: self.body(#"{"by":1}"#)))
    }

    @Test("What is forwarded leaves kept members behind and stays the same bytes otherwise")
    func removed() {
        let forwarded = self.kept.removed(from: self.body(#"{"text":"\/","\u0062y":1,"n":1.50,"as":[]}"#))
        #expect(String(decoding: forwarded.json, as: UTF8.self) == #"{"text":"\/","n":1.50}"#)
        #expect(self.kept.removed(from: self.body("{ }")).json == Array("{ }".utf8))
    }

    @Test("Conversation ids with a reserved prefix are the server's")
    func prefixes() throws {
        for (text, isReserved) in [("ticket-1", true), ("x-", true), ("ticket", false), ("my-ticket-1", false)] {
            #expect(try self.kept.reserve(#require(ConversationID(text))) == isReserved, "\(text)")
        }
    }

    @Test("A kind of conversation is kept and found under its word", arguments: ["direct", "group", "room", "system"])
    func words(_ word: String) throws {
        let kind = try #require(ConversationKind(rawValue: word))
        #expect(kind.rawValue == word && kind.rules.membership != .byOwner)
        #expect(ConversationKind(rawValue: "ticket") == .bound(to: "ticket"))
        #expect(ConversationKind.bound(to: "ticket").rawValue == "ticket" && ConversationKind(rawValue: "") == nil)
    }
}
