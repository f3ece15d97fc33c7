import System
import Testing

@Suite("A mailbox that takes turns")
struct FairMailboxTests {
    private typealias Box = FairMailbox<String, Int>

    private static func taken(_ box: Box) -> [Int] {
        box.close()
        var values: [Int] = []
        while let value = box.take() { values.append(value) }
        return values
    }

    @Test("M2 hands out one value of each sender in turn, and those of one in their order")
    func turns() throws {
        let box = Box(limit: 100, ofSender: 10)
        for value in 0..<5 { try box.post(value, from: "greedy") }
        try box.post(10, from: "modest")
        try box.post(20, from: "other")
        try box.post(11, from: "modest")
        #expect(Self.taken(box) == [0, 10, 20, 1, 11, 2, 3, 4])
    }

    @Test("H3 hands out several at once in the same turns")
    func groups() throws {
        var queue = FairQueue<String, Int>()
        for value in 0..<5 { queue.append(value, from: "greedy") }
        for value in 10..<13 { queue.append(value, from: "modest") }
        let first = queue.take(upTo: 3)
        queue.append(20, from: "other")
        let rest = [queue.take(upTo: 4), queue.take(upTo: 9), queue.take(upTo: 1)]
        #expect(first == [0, 10, 1] && rest == [[11, 2, 20, 12], [3, 4], []] && queue.isEmpty)
    }

    @Test("M2 holds so many of one sender and so many of all, and takes nothing once it is closed")
    func limits() throws {
        let box = Box(limit: 3, ofSender: 2)
        try box.post(0, from: "a")
        try box.post(1, from: "a")
        #expect(throws: Box.Refusal.full) { try box.post(2, from: "a") }
        try box.post(3, from: "b")
        #expect(throws: Box.Refusal.full) { try box.post(4, from: "c") }
        #expect(box.take() == 0)
        try box.post(5, from: "c")
        box.close()
        #expect(throws: Box.Refusal.closed) { try box.post(6, from: "d") }
        #expect(Self.taken(box) == [3, 1, 5])
    }
}
