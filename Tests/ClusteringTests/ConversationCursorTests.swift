import TestSupport
import Testing
import Vocabulary

@testable import Clustering

@Suite("A cursor over a conversation")
struct ConversationCursorTests {
    private typealias Cursor = ConversationCursor<UInt64>

    /// What was told, and what was asked for.
    private struct Heard: Equatable {
        var told: [UInt64] = []
        var fetches: [ClosedRange<UInt64>] = []

        mutating func take(_ orders: [Cursor.Order]) {
            for order in orders {
                switch order {
                case .tell(let number, _): self.told.append(number)
                case .fetch(let after, let through): self.fetches.append(after + 1...through)
                }
            }
        }
    }

    private func run(_ cursor: inout Cursor, _ ask: (inout Cursor, inout [Cursor.Order]) -> Void) -> Heard {
        var orders: [Cursor.Order] = []
        ask(&cursor, &orders)
        var heard = Heard()
        heard.take(orders)
        return heard
    }

    @Test("Y01 tells what comes next at once, and what was told before not again")
    func next() {
        var cursor = Cursor(told: 4)
        #expect(self.run(&cursor) { _ = $0.wrote(5, 5, &$1) } == Heard(told: [5]))
        var isNews = true
        #expect(self.run(&cursor) { isNews = $0.wrote(5, 5, &$1) } == Heard())
        #expect(!isNews)
        #expect(self.run(&cursor) { $0.heard(5, &$1) } == Heard())
    }

    @Test("Y02 fetches what is missing before what came early is told")
    func gap() {
        var cursor = Cursor(told: 4)
        #expect(self.run(&cursor) { _ = $0.wrote(7, 7, &$1) } == Heard(fetches: [5...6]))
        #expect(self.run(&cursor) { $0.heard(9, &$1) } == Heard())
        let got = self.run(&cursor) { $0.fetched([(5, 5), (6, 6)], after: 4, through: 6, &$1) }
        #expect(got == Heard(told: [5, 6, 7], fetches: [8...9]))
    }

    @Test("Y02 reads in portions, and passes over what is no more")
    func portions() {
        var cursor = Cursor(told: 0)
        #expect(self.run(&cursor) { $0.heard(10, &$1) } == Heard(fetches: [1...10]))
        let first = self.run(&cursor) { $0.fetched([(1, 1), (4, 4)], after: 0, through: 4, &$1) }
        #expect(first == Heard(told: [1, 4], fetches: [5...10]))
        #expect(self.run(&cursor) { $0.fetched([], after: 4, through: 10, &$1) } == Heard())
        #expect(cursor.told == 10)
    }

    @Test("Y02 asks again at the next word when it could not read, and gives back what waits")
    func failure() {
        var cursor = Cursor(told: 1)
        _ = self.run(&cursor) { _ = $0.wrote(3, 3, &$1) }
        #expect(cursor.failed() == [3])
        #expect(self.run(&cursor) { $0.heard(3, &$1) } == Heard(fetches: [2...2]))
        #expect(self.run(&cursor) { $0.fetched([(2, 2)], after: 1, through: 2, &$1) } == Heard(told: [2, 3]))
    }

    @Test("Y01 goes back for whoever knows less, also while it reads")
    func rewinding() {
        var cursor = Cursor(told: 10)
        _ = self.run(&cursor) { $0.heard(12, &$1) }
        cursor.rewind(to: 8)
        #expect(
            self.run(&cursor) { $0.fetched([(11, 11), (12, 12)], after: 10, through: 12, &$1) }
                == Heard(fetches: [9...12]))
    }

    @Test("Y01 says what was told before, so that who has gone since does not come back with it")
    func again() {
        var cursor = Cursor(told: 2)
        _ = self.run(&cursor) { _ = $0.wrote(3, 3, &$1) }
        cursor.rewind(to: 1)
        var orders: [Cursor.Order] = []
        cursor.heard(4, &orders)
        orders = []
        cursor.fetched([(2, 2), (3, 3), (4, 4)], after: 1, through: 4, &orders)
        let first = orders.map { if case .tell(_, let isFirst) = $0 { isFirst } else { false } }
        #expect(first == [false, false, true])
        #expect(cursor.furthest == 4)
    }

    @Test("Y01 begins with the first word where nobody knows a number")
    func unknown() {
        var cursor = Cursor(told: nil)
        #expect(self.run(&cursor) { $0.heard(42, &$1) } == Heard(fetches: [42...42]))
    }

    @Test("Y02 tells every number once and in order, whatever order words come in", arguments: 1...50)
    func chance(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (cursor, heard, written) = (Cursor(told: 0), Heard(), UInt64(0))
        var open: [ClosedRange<UInt64>] = []
        for _ in 0..<400 {
            var orders: [Cursor.Order] = []
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                written += 1
                if Bool.random(using: &random) { _ = cursor.wrote(written, written, &orders) }
            case 2 where written > 0: cursor.heard(UInt64.random(in: 1...written, using: &random), &orders)
            case 3 where !open.isEmpty:
                let range = open.removeFirst()
                let end = UInt64.random(in: range, using: &random)
                let news = (range.lowerBound...end).map { (number: $0, news: $0) }
                cursor.fetched(news, after: range.lowerBound - 1, through: end, &orders)
            case 4 where !open.isEmpty && Int.random(in: 0..<4, using: &random) == 0:
                open.removeFirst()
                _ = cursor.failed()
            default: break
            }
            let before = heard.fetches.count
            heard.take(orders)
            open += heard.fetches[before...]
            #expect(open.count <= 1)
        }
        while cursor.told != written {
            var orders: [Cursor.Order] = []
            if let range = open.popLast() {
                let news = range.map { (number: $0, news: $0) }
                cursor.fetched(news, after: range.lowerBound - 1, through: range.upperBound, &orders)
            } else {
                cursor.heard(written, &orders)
            }
            let before = heard.fetches.count
            heard.take(orders)
            open += heard.fetches[before...]
        }
        #expect(heard.told == Array(1...written))
    }
}
