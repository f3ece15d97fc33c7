import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("The search in a store")
struct SearchStoreTests {
    @Test(
        "D25.scripts finds Chinese as well as English, and only what the searcher can see", arguments: Engine.allCases)
    func search(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("今天天气很好", .alice, to: .bob).conversation
        _ = try await talk.say("The weather is fine", .bob, to: .alice)
        _ = try await talk.say("天气不好", .carol, to: .alice)
        #expect(try await talk.find("天气", .bob) == [1])
        #expect(try await talk.find("天气", .alice).count == 2)
        #expect(try await talk.find("气", .bob) == [1])
        #expect(try await talk.find("天很", .bob) == [])
        #expect(try await talk.find("WEATH fine", .alice) == [2])
        #expect(try await talk.find("\"", .alice) == [])
        let request = SearchRequest("天气", for: .carol, in: place, limit: 10)
        let answer = try await talk.store.found(request)
        #expect(throws: ConversationRefusal.notMember) { try answer.get() }
    }

    @Test(
        "says of a search whether there is more", arguments: Engine.allCases, 1...4)
    func searchEnds(engine: Engine, limit: Int) async throws {
        let talk = try Talk(engine)
        for text in ["rain", "more rain"] { try await talk.say(text, .alice, to: .bob) }
        try await talk.say("rain again", .carol, to: .bob)
        let page = try await talk.store.found(SearchRequest("rain", for: .bob, limit: limit)).get()
        #expect(page.items.count == min(limit, 3) && page.hasMore == (limit < 3))
    }

    @Test("asks the index nothing it could not understand, whatever is typed", arguments: Engine.allCases)
    func searchesForNonsense(engine: Engine) async throws {
        let talk = try Talk(engine)
        _ = try await talk.say("今天 hello \u{301}", .alice, to: .bob)
        var random = SeededRandom(seed: 11)
        let letters = Array("\"*()^:+-NEAR AND OR NOT今天hé\u{301}\u{0}\u{FFFD}😀ก '%_;".unicodeScalars)
        for _ in 0..<500 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                text.append(letters[Int.random(in: letters.indices, using: &random)])
            }
            #expect(try await talk.find(String(text), .alice).count <= 1)
        }
    }

    @Test("D25.prefixes finds all words that begin as was typed, few or many of them", arguments: Engine.allCases)
    func beginnings(engine: Engine) async throws {
        let talk = try Talk(engine)
        for number in 1...90 { try await talk.say("rain\(number) in spring", .alice, to: .bob) }
        try await talk.say("rain1 elsewhere", .carol, to: .alice)
        #expect(try await talk.find("rain", .bob) == (81...90).reversed())
        #expect(try await talk.find("rain1", .bob) == (10...19).reversed())
        #expect(try await talk.find("rain9", .bob) == [90, 9])
        #expect(try await talk.find("rain90 rain spri", .bob) == [90])
        #expect(try await talk.find("rain90 snow", .bob) == [])
        #expect(try await talk.find("elsewhere", .bob) == [])
    }

    @Test("D25.recalled finds nothing by a word that is in no message any more", arguments: Engine.allCases)
    func recalled(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("snowfall", .alice, to: .bob).conversation
        try await talk.say("snow", .alice, to: .bob)
        #expect(try await talk.find("snow", .bob) == [2, 1])
        try await talk.change(place, .recall(1), .alice)
        #expect(try await talk.find("snow", .bob) == [2])
        #expect(try await talk.find("snowf", .bob) == [])
    }

    @Test("D25.all goes through all conversations of a user, the one that moved last first", arguments: Engine.allCases)
    func manyConversations(engine: Engine) async throws {
        let talk = try Talk(engine)
        let others = try (1...70).map { try #require(UserID("other-\($0)")) }
        for (index, other) in others.enumerated() {
            let time = Talk.now + .seconds(index)
            try await talk.say(index % 10 == 0 ? "thunder \(index)" : "calm \(index)", .alice, to: other, at: time)
        }
        let page = try await talk.store.found(SearchRequest("thunder", for: .alice, limit: 5)).get()
        #expect(page.items.map { $0.entry.sender } == [UserID](repeating: .alice, count: 5) && page.hasMore)
        let texts = page.items.compactMap { item in item.entry.body.map { String(decoding: $0, as: UTF8.self) } }
        #expect(texts == [60, 50, 40, 30, 20].map { "{\"text\":\"thunder \($0)\"}" })
        let all = try await talk.store.found(SearchRequest("thunder", for: .alice, limit: 10)).get()
        #expect(all.items.count == 7 && !all.hasMore)
    }
}
