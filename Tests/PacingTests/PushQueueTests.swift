import Pacing
import TestSupport
import Testing
import Vocabulary

@Suite("A queue of pushes")
struct PushQueueTests {
    private typealias Queue = PushQueue<String, Int>

    private static func at(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1000) }

    private static func item(_ push: Int, to device: String = "phone", _ topic: String = "tea") -> Queue.Item {
        Queue.Item(push, to: device, topic: topic, expiry: Self.at(1000))
    }

    @Test("H13 sends one push at a time to each device, and to many devices at once")
    func lanes() {
        var queue = Queue()
        for (push, device) in [(1, "a"), (2, "b"), (3, "a")] { _ = queue.add(Self.item(push, to: device, "t\(push)")) }
        #expect(queue.next(at: Self.at(0)).items.map(\.push) == [1, 2])
        #expect(queue.next(at: Self.at(0)).items.isEmpty)
        queue.ended("a")
        #expect(queue.next(at: Self.at(0)).items.map(\.push) == [3])
        queue.ended("a")
        queue.ended("b")
        #expect(queue.count == 0)
    }

    @Test("H01.crowd counts the devices in line, and not those that rest")
    func line() {
        var queue = Queue()
        for push in 0..<100 { _ = queue.add(Self.item(push, to: "d\(push)")) }
        #expect(queue.ready == 100)
        #expect(queue.next(at: Self.at(0)).items.count == 32 && queue.ready == 68)
        for push in 0..<32 { _ = queue.failed("d\(push)", retryAfter: nil, at: Self.at(0)) }
        #expect(queue.next(at: Self.at(0)).items.count == 32)
        #expect(queue.ready == 36 && queue.count == 100)
    }

    @Test("H15 sends what is urgent before everything else that waits")
    func urgent() {
        var queue = Queue()
        for (push, device) in [(1, "a"), (2, "b"), (3, "c")] { _ = queue.add(Self.item(push, to: device, "t\(push)")) }
        _ = queue.add(Queue.Item(4, to: "c", topic: "call", expiry: Self.at(1000), isUrgent: true))
        #expect(queue.next(at: Self.at(0)).items.map(\.push) == [4, 1, 2])
        queue.ended("c")
        #expect(queue.next(at: Self.at(0)).items.map(\.push) == [3])
        for device in ["a", "b", "c"] { queue.ended(device) }
        #expect(queue.count == 0 && queue.next(at: Self.at(0)).items.isEmpty)
    }

    @Test("H13 lets a later push take the place of one about the same topic that waits")
    func collapse() {
        var queue = Queue()
        #expect(queue.add(Self.item(1)) == nil)
        #expect(queue.add(Self.item(2)) == 1)
        #expect(queue.add(Self.item(3, to: "phone", "coffee")) == nil)
        #expect(queue.next(at: Self.at(0)).items.map(\.push) == [2])
        #expect(queue.add(Self.item(4)) == nil, "one that is under way stays")
        #expect(queue.failed("phone", retryAfter: nil, at: Self.at(0)) == 2, "its place was taken")
        #expect(queue.remove("coffee", of: "phone") == 3)
        #expect(queue.count == 1)
        #expect(queue.next(at: Self.at(2)).items.map(\.push) == [4])
    }

    @Test(
        "H13 lets a device rest longer after each failure, as long as its service says, and until its push is too old")
    func failures() throws {
        var queue = Queue()
        _ = queue.add(Self.item(1))
        var (now, waits): (Int64, [Int64]) = (0, [])
        for _ in 1...4 {
            #expect(queue.next(at: Self.at(now)).items.map(\.push) == [1])
            #expect(queue.failed("phone", retryAfter: nil, at: Self.at(now)) == nil)
            let next = try #require(queue.deadline).nanoseconds / 1_000_000_000
            waits.append(next - now)
            now = next
        }
        #expect(waits == [2, 3, 5, 9])
        #expect(queue.next(at: Self.at(now)).items.count == 1)
        #expect(queue.failed("phone", retryAfter: .seconds(100), at: Self.at(now)) == nil)
        #expect(queue.deadline == Self.at(now + 101))
        #expect(queue.next(at: Self.at(now + 50)).items.isEmpty)
        let late = queue.next(at: Self.at(2000))
        #expect((late.items.count, late.expired) == (0, [1]))
        #expect(queue.count == 0)
        #expect(queue.deadline == nil)
    }

    @Test("H13 waits from where a service wants it to, and doubles from there")
    func firstWait() throws {
        var queue = Queue()
        _ = queue.add(Self.item(1))
        var now: Int64 = 0
        for wait: Int64 in [11, 21, 41] {
            #expect(queue.next(at: Self.at(now)).items.count == 1)
            #expect(queue.failed("phone", retryAfter: nil, firstWait: .seconds(10), at: Self.at(now)) == nil)
            #expect(queue.deadline == Self.at(now + wait))
            now += wait
        }
    }

    @Test("H13 keeps every push or says what became of it, whatever happens in which order", arguments: 1...20)
    func anyOrder(seed: UInt64) {
        var (random, queue) = (SeededRandom(seed: seed), Queue())
        var (waiting, busy): (Set<Int>, [String: Int]) = ([], [:])
        for step in 0..<2000 {
            let (device, now) = ("d\(Int.random(in: 0..<5, using: &random))", Self.at(Int64(step)))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let item = Queue.Item(
                    step, to: device, topic: "\(Int.random(in: 0..<3, using: &random))",
                    expiry: Self.at(Int64(step + 40)))
                if let old = queue.add(item) { waiting.remove(old) }
                waiting.insert(step)
            case 1:
                let next = queue.next(at: now)
                for item in next.items {
                    #expect(busy.updateValue(item.push, forKey: item.device) == nil)
                    #expect(waiting.remove(item.push) != nil)
                }
                for push in next.expired { #expect(waiting.remove(push) != nil) }
            case 2:
                queue.ended(device)
                busy[device] = nil
            default:
                let replaced = queue.failed(device, retryAfter: nil, at: now)
                if let push = busy.removeValue(forKey: device), replaced != push { waiting.insert(push) }
            }
            #expect(queue.count == waiting.count + busy.count)
        }
    }
}
