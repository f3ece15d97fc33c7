import System
import Reactor
import Testing

@Suite("Asynchronous work started from a loop")
struct PerformTests {
    /// Belongs to its loop and to nobody else.
    private final class Connection {
        var answers: [Int] = []
    }

    @Test("comes back to the loop it was started from, and keeps it turning meanwhile")
    func comesBack() async throws {
        try await withLoops(2) { group in
            let loop = group.loops[0]
            let gate = Gate()
            let answers: [Int] = await loop.wait { reactor, done in
                let connection = Connection()
                reactor.perform {
                    await withCheckedContinuation { continuation in
                        // Another thread answers, and only after the loop has turned again.
                        group.loops[1].execute { _ in
                            gate.wait()
                            continuation.resume(returning: 7)
                        }
                    }
                } completion: { value in
                    #expect(loop.isCurrent)
                    connection.answers.append(value)
                    done(connection.answers)
                }
                loop.execute { _ in gate.open() }
            }
            #expect(answers == [7])
        }
    }

    @Test("brings every result to its own closure")
    func many() async throws {
        try await withLoops(2) { group in
            for loop in group.loops {
                let sum: Int = await loop.wait { reactor, done in
                    var (sum, left) = (0, 1000)
                    for number in 1...1000 {
                        reactor.perform {
                            number
                        } completion: { value in
                            sum += value
                            left -= 1
                            if left == 0 { done(sum) }
                        }
                    }
                }
                #expect(sum == 500_500)
            }
        }
    }
}
