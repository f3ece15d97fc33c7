import Conversing
import TestSupport
import Testing

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
            ("天气", [.sequence(["天气"])]), ("今天天气", [.sequence(["今天", "天天", "天气"])]), ("气", [.prefix("气")]),
            ("hel wor", [.prefix("hel"), .prefix("wor")]), ("\" OR *", [.prefix("or")]), ("…", []), ("", []),
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
