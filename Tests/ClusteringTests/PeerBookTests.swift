import TestSupport
import Testing
import Vocabulary

@testable import Clustering

@Suite("Which other nodes there are")
struct PeerBookTests {
    private let node: RandomToken
    private let start = Instant(milliseconds: 1000)

    init() {
        var random = SeededRandom(seed: 7)
        self.node = RandomToken(using: &random)
    }

    private func frame(_ number: UInt64, isLast: Bool = false) -> NodeFrame {
        NodeFrame(self.node, number, isLast: isLast)
    }

    @Test("Y02 a number that is left out is seen, and one that comes twice or late counts once")
    func numbers() {
        var book = PeerBook()
        #expect(book.isEmpty)
        let heard = [5, 6, 8, 8, 7, 9].map { book.heard(self.frame($0), at: self.start) }
        #expect(heard == [.first, .next, .gap, .old, .old, .next])
        #expect(book.count == 1)
    }

    @Test("Y02 a node that says nothing is forgotten after four seconds, and is another when it comes back")
    func silence() {
        var book = PeerBook()
        _ = book.heard(self.frame(1), at: self.start)
        let gone = [3999, 4000, 4001].map { book.clockAdvanced(to: self.start + .milliseconds($0)) }
        #expect(gone == [[], [self.node], []])
        #expect(book.isEmpty)
        let again = book.heard(self.frame(2), at: self.start + .seconds(5))
        #expect(again == .first)
    }

    @Test("Y02 a node that says goodbye is gone, with nothing missed")
    func goodbye() {
        var book = PeerBook()
        _ = book.heard(self.frame(1), at: self.start)
        let last = book.heard(self.frame(2, isLast: true), at: self.start)
        #expect(last == .next)
        #expect(book.isEmpty)
    }
}
