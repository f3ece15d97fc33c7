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
        settings.maximumAttempts = attempts
        var queue = DeliveryQueue(settings)
        for (number, lane) in items { _ = queue.add(.init(number, lane: lane)) }
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

    @Test("puts what comes late in front of larger numbers, but not in front of what is under way")
    func late() {
        var queue = Self.queue([(5, 1), (9, 1)])
        let first = queue.next(at: Self.at(0))
        #expect(first.map(\.number) == [5])
        let held = [7, 3].map { queue.add(.init($0, lane: 1)) }
        #expect(held == [true, true])
        var told: [Int64] = []
        queue.delivered(first[0])
        while let item = queue.next(at: Self.at(0)).first {
            told.append(item.number)
            queue.delivered(item)
        }
        #expect(told == [3, 7, 9])
        #expect(queue.count == 0)
    }

    @Test("asks for what comes late in front of all that is not held")
    func lateUnheld() throws {
        var queue = Self.queue([(5, 1)])
        let item = queue.next(at: Self.at(0))[0]
        #expect(queue.failed(item, at: Self.at(0)) == .waits(released: [5]))
        let held = [4, 6].map { queue.add(.init($0, lane: 1)) }
        #expect(held == [false, false])
        #expect(queue.next(at: Self.at(1000)).isEmpty)
        let asked = queue.nextLoad()
        #expect(try #require(asked) == .init(lane: 1, from: 4))
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
    func backOff() throws {
        var queue = Self.queue([(1, 1), (2, 1), (3, 2)], attempts: 4)
        var now: Int64 = 0
        for (attempt, wait): (Int, Int64) in [(0, 1000), (1, 2000), (2, 4000)] {
            let items = queue.next(at: Self.at(now))
            #expect(items[0].attempts == attempt)
            #expect(queue.failed(items[0], at: Self.at(now)) == .waits(released: [1, 2]))
            for item in items.dropFirst() { queue.delivered(item) }
            #expect(queue.deadline == Self.at(now + wait))
            let early = queue.next(at: Self.at(now + wait - 1))
            let nothing = queue.nextLoad()
            #expect(early.isEmpty && nothing == nil && queue.count == 0)
            now += wait
            #expect(queue.next(at: Self.at(now)).isEmpty)
            let asked = queue.nextLoad()
            let request = try #require(asked)
            #expect(request == .init(lane: 1, from: 1))
            queue.loaded([.init(1, lane: 1), .init(2, lane: 1)], for: request)
        }
        let last = queue.next(at: Self.at(now))
        #expect(last.map(\.attempts) == [3])
        #expect(queue.failed(last[0], at: Self.at(now)) == .givenUp)
        #expect(queue.next(at: Self.at(now)).map(\.number) == [2])
    }

    @Test("holds a few of a long lane, nothing of one that waits, and all others beside it")
    func longLane() throws {
        var queue = Self.queue([(1, 1)])
        let first = queue.next(at: Self.at(0))
        let held = (Int64(2)...5000).filter { queue.add(.init($0, lane: 1)) }
        #expect(held == Array(2...32))
        #expect(queue.count == 32)
        #expect(queue.failed(first[0], at: Self.at(0)) == .waits(released: Array(1...32)))
        let added = [queue.add(.init(5001, lane: 1)), queue.add(.init(5002, lane: 2))]
        #expect(added == [false, true] && queue.count == 1)
        #expect(queue.next(at: Self.at(0)).map(\.number) == [5002])
        #expect(queue.next(at: Self.at(1000)).isEmpty)
        let asked = queue.nextLoad()
        let request = try #require(asked)
        queue.notLoaded(request)
        let again = queue.nextLoad()
        #expect(again == request)
        queue.loaded((Int64(1)...32).map { .init($0, lane: 1) }, for: request)
        #expect(queue.next(at: Self.at(1000)).map(\.number) == [1])
    }

    @Test("forgets a lane of which nothing is left when it is asked for")
    func vanished() throws {
        var queue = Self.queue([(1, 1)])
        let item = queue.next(at: Self.at(0))[0]
        _ = queue.failed(item, at: Self.at(0))
        _ = queue.next(at: Self.at(1000))
        let asked = queue.nextLoad()
        let request = try #require(asked)
        queue.loaded([], for: request)
        let nothing = queue.nextLoad()
        let isHeld = queue.add(.init(2, lane: 1))
        #expect(queue.deadline == nil && nothing == nil && isHeld)
        #expect(queue.next(at: Self.at(1000)).map(\.number) == [2])
    }

    @Test("believes no word about what is not under way")
    func strangers() {
        var queue = Self.queue([(1, 1)])
        queue.delivered(.init(1, lane: 1))
        #expect(queue.failed(.init(9, lane: 9), at: Self.at(0)) == nil)
        #expect(queue.next(at: Self.at(0)).map(\.number) == [1])
    }

    @Test("delivers everything once, in order, however deliveries end")
    func storm() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<50 {
            var outbox: [Int64: [DeliveryQueue.Item]] = [:]
            var queue = Self.queue([], attempts: 1000)
            for number in Int64(1)...400 {
                let item = DeliveryQueue.Item(number, lane: Int64.random(in: 0..<5, using: &random))
                outbox[item.lane, default: []].append(item)
                _ = queue.add(item)
            }
            var now = Self.at(0)
            var flying: [DeliveryQueue.Item] = []
            while outbox.values.contains(where: { !$0.isEmpty }) {
                flying += queue.next(at: now)
                #expect(flying.count <= 8 && Set(flying.map(\.lane)).count == flying.count)
                while let request = queue.nextLoad() {
                    queue.loaded(
                        Array((outbox[request.lane] ?? []).filter { $0.number >= request.from }.prefix(32)),
                        for: request)
                }
                flying += queue.next(at: now)
                if flying.isEmpty { now = queue.deadline ?? now }
                flying.shuffle(using: &random)
                guard let item = flying.popLast() else { continue }
                #expect(outbox[item.lane]?.first?.number == item.number)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    #expect(queue.failed(item, at: now) != .givenUp)
                } else {
                    outbox[item.lane]?.removeFirst()
                    queue.delivered(item)
                }
            }
            #expect(queue.count == 0)
        }
    }
}
