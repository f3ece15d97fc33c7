import Conversing
import TestSupport
import Testing
import Vocabulary

@Suite("Typing")
struct TypingTests {
    private let start = Instant(milliseconds: 0)
    private let places: [TypingMachine.Place]

    init() throws {
        var random = SeededRandom(seed: 1)
        let conversation = try #require(ConversationID("kitchen"))
        self.places = (0..<2).map { _ in TypingMachine.Place(conversation, SessionID(using: &random)) }
    }

    @Test("G01 is told once, however often it is said")
    func once() {
        var typing = TypingMachine()
        let news = [
            typing.typed(self.places[0], at: self.start), typing.typed(self.places[0], at: self.start + .seconds(1)),
            typing.typed(self.places[1], at: self.start),
        ]
        #expect(news == [true, false, true])
        #expect(typing.count == 2)
    }

    @Test("G02 ends when somebody stops, says something, or their line breaks")
    func ends() {
        var typing = TypingMachine()
        _ = typing.typed(self.places[0], at: self.start)
        let news = [typing.stopped(self.places[0]), typing.stopped(self.places[0])]
        #expect(news == [true, false])
        _ = typing.typed(self.places[0], at: self.start)
        let lost = typing.lineLost(self.places[0].session)
        #expect(lost == [self.places[0]])
        #expect(typing.count == 0)
    }

    @Test("G02 ends by itself when nothing more is typed, and not before")
    func clears() {
        var typing = TypingMachine()
        _ = typing.typed(self.places[0], at: self.start)
        _ = typing.typed(self.places[1], at: self.start + .seconds(2))
        _ = typing.typed(self.places[0], at: self.start + .seconds(4))
        let stopped = [6, 8, 10].map { typing.clockAdvanced(to: self.start + .seconds($0)) }
        #expect(stopped == [[], [self.places[1]], [self.places[0]]])
        #expect(typing.deadline == nil)
    }
}

@Suite("Words to search for")
struct SearchWordsTests {
    @Test(
        "are cut so that Chinese is found as well as English",
        arguments: [
            ("Hello, World 42!", "hello world 42"), ("今天天气", "今天 天天 天气 气"), ("好", "好"),
            ("在GitHub上", "在 github 上"), ("", ""), ("…!?", ""), ("cafe\u{301}", "cafe\u{301}"),
        ])
    func words(text: String, words: String) {
        #expect(SearchWords.indexed(text) == words)
    }

    @Test(
        "become phrases that only find what stands side by side",
        arguments: [
            ("天气", [.sequence(["天气"])]), ("今天天气", [.sequence(["今天", "天天", "天气"])]), ("气", [.beginning("气")]),
            ("hel wor", [.beginning("hel"), .beginning("wor")]), ("\" OR *", [.beginning("or")]), ("…", []), ("", []),
        ] as [(String, [SearchPhrase])])
    func questions(text: String, phrases: [SearchPhrase]) {
        #expect(SearchWords.phrases(text) == phrases)
    }

    @Test("are the same, whether anything but ASCII stands in the text or not")
    func scripts() {
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let letters = (0..<Int.random(in: 1...400, using: &random)).map { _ in
                // Long words in some texts, short ones in others.
                UInt8.random(in: seed.isMultiple(of: 2) ? 65...122 : 1...127, using: &random)
            }
            let text = String(decoding: letters, as: UTF8.self)
            let words = SearchWords.indexed(text)
            #expect(SearchWords.indexed(text + " 好") == (words.isEmpty ? "好" : words + " 好"), "seed \(seed)")
        }
    }

    @Test("have an end, whatever a stranger writes")
    func limits() {
        let short = String(repeating: "A b ", count: SearchWords.maximumWords)
        #expect(SearchWords.indexed(short).split(separator: " ").count == SearchWords.maximumWords)
        let words = SearchWords.indexed(String(repeating: "天", count: 100_000))
        #expect(words.split(separator: " ").count == SearchWords.maximumWords)
        #expect(SearchWords.indexed(String(repeating: "a", count: 10_000)).utf8.count == SearchWords.maximumWordBytes)
    }
}
