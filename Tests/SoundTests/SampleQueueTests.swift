import Sound
import Testing

@Suite("A queue of samples")
struct SampleQueueTests {
    private static func read(_ queue: inout SampleQueue, _ count: Int) -> [Float] {
        var sound = [Float](repeating: -1, count: count)
        var span = sound.mutableSpan
        let taken = queue.read(into: &span)
        return Array(sound.prefix(taken))
    }

    @Test("Samples leave a queue in their order, around its end as well")
    func keepsOrder() {
        var queue = SampleQueue(capacity: 5)
        for start in stride(from: Float(0), to: 30, by: 3) {
            let sound = [start, start + 1, start + 2]
            #expect(queue.append(sound.span) == 0)
            #expect(Self.read(&queue, 5) == sound)
        }
        #expect(queue.count == 0 && queue[0] == 0)
    }

    @Test("The oldest samples make way in a full queue")
    func dropsOldest() {
        var queue = SampleQueue(capacity: 4)
        let sound: [Float] = [1, 2, 3, 4, 5, 6]
        #expect(queue.append(sound.span) == 2)
        #expect(Self.read(&queue, 2) == [3, 4])
        #expect(Self.read(&queue, 9) == [5, 6])
    }
}
