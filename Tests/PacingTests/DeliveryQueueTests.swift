import TestSupport
import Testing
import Vocabulary

@testable import Pacing

@Suite("A queue of deliveries")
struct DeliveryQueueTests {
    private static func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    private static func queue(_ items: [(Int64, Int64)], atOnce: Int = 8, attempts: Int = 12) -> DeliveryQueue {
        var settings = DeliveryQueue.Settings()
        settings.atOnce = atOnce
        settings.mostAttempts = attempts
        var queue = DeliveryQueue(settings)
        for (number, lane) in items { queue.add(.init(number, lane: lane)) }
        return queue
    }

    @Test("keeps the order within a lane, and lets lanes pass one another")
    func order() {
        var queue = Self.queue([(1, 1), (2, 1), (3, 2), (4, 1)])
        let first = queue.next(at: Self.at(0))
        #expect(first.map(\.number) == [1, 3])
        #expect(queue.next(at: Self.at(0)).isEmpty)
        queue.delivered(first[0])
        #expect(queue.next(at: Self.at(0)).map(\.number) == [2])
        #expect(queue.count == 3)
    }

    @Test("lets so many go at once and no more")
    func atOnce() {
        var queue = Self.queue([(1, 1), (2, 2), (3, 3)], atOnce: 2)
        let first = queue.next(at: Self.at(0))
        #expect(first.count == 2)
        queue.delivered(first[1])
        #expect(queue.next(at: Self.at(0)).map(\.number) == [3])
    }

    @Test("waits longer each time, while others go on, and gives up at last")
    func backOff() {
        var queue = Self.queue([(1, 1), (2, 1), (3, 2)], attempts: 4)
        var now: Int64 = 0
        for wait: Int64 in [1000, 2000, 4000] {
            let items = queue.next(at: Self.at(now))
            #expect(queue.failed(items[0], at: Self.at(now)) == .waits)
            for item in items.dropFirst() { queue.delivered(item) }
            #expect(queue.deadline == Self.at(now + wait))
            #expect(queue.next(at: Self.at(now + wait - 1)).isEmpty)
            now += wait
        }
        let last = queue.next(at: Self.at(now))
        #expect(last.map(\.attempts) == [3])
        #expect(queue.failed(last[0], at: Self.at(now)) == .givenUp)
        #expect(queue.next(at: Self.at(now)).map(\.number) == [2])
    }

    @Test("believes no word about what is not under way")
    func strangers() {
        var queue = Self.queue([(1, 1)])
        queue.delivered(.init(1, lane: 1))
        #expect(queue.failed(.init(9, lane: 9), at: Self.at(0)) == .givenUp)
        #expect(queue.next(at: Self.at(0)).map(\.number) == [1])
    }

    @Test("delivers everything once, in order, however deliveries end")
    func storm() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<50 {
            var queue = Self.queue((1...200).map { ($0, Int64.random(in: 0..<7, using: &random)) }, attempts: 1000)
            var now = Self.at(0)
            var flying: [DeliveryQueue.Item] = []
            var last: [Int64: Int64] = [:]
            var done = 0
            while queue.count > 0 {
                flying += queue.next(at: now)
                #expect(flying.count <= 8 && Set(flying.map(\.lane)).count == flying.count)
                if flying.isEmpty { now = queue.deadline ?? now }
                flying.shuffle(using: &random)
                guard let item = flying.popLast() else { continue }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    #expect(queue.failed(item, at: now) == .waits)
                } else {
                    #expect(last[item.lane, default: 0] < item.number)
                    last[item.lane] = item.number
                    done += 1
                    queue.delivered(item)
                }
            }
            #expect(done == 200)
        }
    }
}
