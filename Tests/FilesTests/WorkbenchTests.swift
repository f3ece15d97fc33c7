import Files
import System
import Testing
import Vocabulary

@Suite("A workbench")
struct WorkbenchTests {
    @Test("L2 takes the jobs of users in turns, and no more of one than may wait")
    func turns() throws {
        let bench = try Workbench(limit: 10, ofUser: 3)
        let (held, gate) = (Gate(), Gate())
        let order = Locked<[Int]>([])
        let (greedy, modest) = (UserID("greedy"), UserID("modest"))
        #expect(
            bench.post {
                held.open(); gate.wait()
            })
        held.wait()
        for number in 0..<3 {
            #expect(bench.post(from: greedy) { order.withLock { $0.append(number) } })
        }
        #expect(!bench.post(from: greedy) {})
        #expect(bench.post(from: modest) { order.withLock { $0.append(10) } })
        gate.open()
        // The last of the longest lane.
        while order.withLock({ $0.count }) < 4 {
            let turn = Gate()
            guard bench.post({ turn.open() }) else { continue }
            turn.wait()
        }
        #expect(order.withLock { $0 } == [0, 10, 1, 2])
    }
}
