import Conversing
import Testing

@Suite("An operator's list of words")
struct WordRulesTests {
    private static func rules(_ list: [(String, WordRule.Action, Bool)]) throws -> WordRules {
        WordRules(try list.map { try #require(WordRule($0.0, $0.1, isWhole: $0.2)) })
    }

    private static func verdict(_ rules: WordRules, _ text: String) -> WordRules.Verdict {
        rules.judge(Self.body(text), kept: KeptFields(members: ["fl"]))
    }

    private static func body(_ text: String) -> MessageBody {
        MessageBody(proven: Array(#"{"text":"\#(text)","x":[1, 2]}"#.utf8))
    }

    @Test("F14.masked puts stars in the place of a word, in whichever case it is written")
    func masks() throws {
        let rules = try Self.rules([("darn", .mask, false), ("straße", .mask, false), ("坏话", .mask, false)])
        #expect(rules.masked("DARN it, Darning! a STRASSE, 说坏话了") == "**** it, ****ing! a *******, 说**了")
        #expect(rules.masked("Da\u{200B}rn") == "*****", "what is not seen hides nothing")
        #expect(rules.masked("fine 👍🏽") == "fine 👍🏽")
        #expect(Self.verdict(rules, "oh darn") == .said(Self.body("oh ****"), flagged: nil))
        let both = try Self.rules([("darn", .mask, false), ("oh", .flag, false)])
        #expect(Self.verdict(both, "oh darn") == .said(Self.body("oh ****"), flagged: "oh"))
    }

    @Test("F14.refused finds words inside of others, and whole ones alone")
    func words() throws {
        let inside = try Self.rules([("cat", .refuse, false)])
        #expect(Self.verdict(inside, "category") == .refuse)
        let whole = try Self.rules([("cat", .refuse, true)])
        #expect(Self.verdict(whole, "category, bobcat, cat9") == .fine)
        #expect(Self.verdict(whole, "a CAT.") == .refuse)
        let several = try Self.rules([("he", .flag, false), ("she", .refuse, false), ("hers", .mask, false)])
        #expect(Self.verdict(several, "ushers") == .refuse, "the weightiest counts")
        #expect(Self.verdict(several, "the") == .said(Self.body("the"), flagged: "he"))
        #expect(Self.verdict(WordRules(), "some spam") == .fine)
        let spaced = try Self.rules([("  Buy followers ", .refuse, false)])
        #expect(Self.verdict(spaced, "buy FOLLOWERS now") == .refuse)
    }

    @Test("F14.masked refuses what it cannot mask everywhere it stands")
    func kept() throws {
        let old = MessageBody(proven: Array(#"{"text":"darn","fl":{"msg":"darn"}}"#.utf8))
        let rules = try Self.rules([("darn", .mask, false)])
        #expect(rules.judge(old, kept: KeptFields(members: ["fl"])) == .refuse)
    }

    @Test("F14.names refuses a name with a word that is refused or masked elsewhere")
    func names() throws {
        let rules = try Self.rules([("darn", .mask, false), ("oh", .flag, false)])
        #expect(rules.judge(name: "Darnell").isRefused)
        #expect(rules.judge(name: "Joh") == (false, "oh"))
        #expect(rules.judge(name: "Ann") == (false, nil))
    }

    @Test(
        "A word has something in it that can be seen, and 64 characters at most",
        arguments: [
            "", "  ", "\u{200B}", String(repeating: "a", count: 65),
        ])
    func mistakes(word: String) { #expect(WordRule(word, .mask) == nil) }

    @Test(
        "A word is found by the form in which it is compared",
        arguments: [
            "\u{200B} Darn \u{200B}", "İstanbul", "STRASSE", "a  b",
        ])
    func compared(word: String) throws {
        let compared = try #require(WordRule.compared(word))
        #expect(WordRule.compared(compared) == compared)
        #expect(WordRule(compared, .mask) == WordRule(word, .mask))
    }

    @Test("Rules take a time that follows the length of the text, whatever is in it")
    func linear() throws {
        let rules = try Self.rules((1...64).map { (String(repeating: "a", count: $0 - 1) + "b", .mask, false) })
        let text = String(repeating: "a", count: 65_000)
        #expect(rules.masked(text) == text)
        #expect(rules.masked(text + "b").hasSuffix("a" + String(repeating: "*", count: 64)))
    }

    @Test("Rules agree with a search for each word by itself, for many texts")
    func agrees() throws {
        var random = SystemRandomNumberGenerator()
        let letters = Array("abc")
        func text(_ length: Int) -> String {
            String((0..<length).map { _ in letters.randomElement(using: &random) ?? "a" })
        }
        for _ in 0..<300 {
            let words = Set((0..<5).map { _ in text(Int.random(in: 1...4, using: &random)) })
            let rules = try Self.rules(words.map { ($0, .mask, false) })
            let said = Array(text(30))
            var expected = said
            for word in words.map(Array.init) {
                for start in said.indices where said[start...].starts(with: word) {
                    for index in start..<start + word.count { expected[index] = "*" }
                }
            }
            #expect(rules.masked(String(said)) == String(expected), "\(words) in \(String(said))")
        }
    }
}
