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
