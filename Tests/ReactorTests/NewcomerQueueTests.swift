import Reactor
import TestSupport
import Testing

@Suite("What newcomers want")
struct NewcomerQueueTests {
    private static let budget: UInt64 = 500
    private static let one: UInt64 = 100

    /// One turn, in which everybody who is served takes as long.
    private func turn(_ queue: inout NewcomerQueue<Int>, endingAt now: UInt64) -> [Int] {
        var served: [Int] = []
        while let item = queue.next() {
            served.append(item.work)
            queue.served(in: Self.one)
        }
        queue.turnEnded(at: now)
        return served
    }

    @Test("is done at once where nobody waits and the turn has time")
    func atOnce() {
        var queue = NewcomerQueue<Int>(budget: Self.budget, longestWait: .max)
        #expect(queue.takesAtOnce)
        queue.served(in: Self.budget)
        #expect(!queue.takesAtOnce)
        queue.turnEnded(at: 1000)
        #expect(queue.takesAtOnce)
        queue.append(1)
        #expect(!queue.takesAtOnce)
    }

    @Test("is done in its order, so much in a turn, until nobody waits")
    func order() {
        var queue = NewcomerQueue<Int>(budget: Self.budget, longestWait: .max)
        for number in 0..<12 { queue.append(number) }
        #expect(self.turn(&queue, endingAt: 1000) == Array(0..<5))
        queue.append(12)
        #expect(self.turn(&queue, endingAt: 2000) == Array(5..<10))
        #expect(self.turn(&queue, endingAt: 3000) == Array(10..<13))
        #expect(queue.isEmpty && queue.takesAtOnce)
    }

    @Test("gets one done in a turn, however long it takes")
    func dear() {
        var queue = NewcomerQueue<Int>(budget: Self.budget, longestWait: .max)
        for number in 0..<3 { queue.append(number) }
        for number in 0..<3 {
            #expect(queue.next()?.work == number)
            queue.served(in: Self.budget * 100)
            #expect(queue.next() == nil)
            queue.turnEnded(at: UInt64(number) * 100_000)
        }
        #expect(queue.isEmpty)
    }

    /// Waits so long that the pace is known.
    private func busy(longestWait: UInt64) -> (queue: NewcomerQueue<Int>, now: UInt64) {
        var queue = NewcomerQueue<Int>(budget: Self.budget, longestWait: longestWait)
        var now: UInt64 = 0
        for number in 0..<1000 {
            queue.append(number)
            if number % 5 == 4 {
                now += 1000
                // One always stays, so that the loop is never without newcomers.
                if number < 5 { queue.append(-1) }
                _ = self.turn(&queue, endingAt: now)
            }
        }
        return (queue, now)
    }

    @Test("measures how long one that comes now would wait")
    func pace() {
        var (queue, _) = self.busy(longestWait: .max)
        for number in 0..<100 { queue.append(number) }
        // Five in a thousand nanoseconds.
        #expect((200 * 100...200 * 102).contains(queue.expectedWait), "\(queue.expectedWait)")
    }

    @Test("who would wait too long is told soon, and takes little of the others' time: maximumArrivalWait")
    func late() {
        var (queue, _) = self.busy(longestWait: 200 * 10)
        for number in 0..<30 { queue.append(number) }
        var served: [(work: Int, isLate: Bool)] = []
        while true {
            guard let item = queue.next() else { break }
            served.append((item.work, item.isLate))
            queue.served(in: 1)
        }
        let onTime = served.filter { !$0.isLate }.map(\.work).filter { $0 >= 0 && $0 < 30 }
        let late = served.filter(\.isLate).map(\.work)
        #expect(onTime == onTime.sorted() && late == late.sorted())
        #expect(late.count >= 15 && onTime.count >= 8)
        #expect(served.firstIndex { $0.isLate }! <= 4)
        #expect(queue.isEmpty)
    }

    @Test("those who are told to come later come one after the other")
    func promises() {
        var (queue, now) = self.busy(longestWait: 200 * 10)
        let waits = (0..<100).map { _ in queue.waitOfNext(at: now) }
        for (one, next) in zip(waits, waits.dropFirst()) { #expect(next - one >= 3 * 190) }
        // When their time has passed nobody waits for them.
        now += waits.last! + 1_000_000
        #expect(queue.waitOfNext(at: now) < waits.last!)
    }

    @Test("loses and doubles nothing over a long random life", arguments: 0..<10)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = NewcomerQueue<Int>(budget: Self.budget, longestWait: 100_000)
        var (sent, now): (Int, UInt64) = (0, 0)
        var seen: Set<Int> = []
        for _ in 0..<400 {
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                queue.append(sent)
                sent += 1
            }
            while let item = queue.next() {
                #expect(seen.insert(item.work).inserted)
                queue.served(in: UInt64.random(in: 10..<60, using: &random))
            }
            now += UInt64.random(in: 500..<2000, using: &random)
            queue.turnEnded(at: now)
            #expect(queue.count == sent - seen.count)
        }
        while !queue.isEmpty {
            while let item = queue.next() {
                #expect(seen.insert(item.work).inserted)
                queue.served(in: 50)
            }
            queue.turnEnded(at: now)
        }
        #expect(seen.count == sent)
    }
}
