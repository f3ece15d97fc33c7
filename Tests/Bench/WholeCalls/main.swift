import TestSupport
import VirtualPeers
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Nobody was heard within a minute.
struct Unheard: Error {
    let seed: UInt64
}

/// Calls in virtual time, each of two whole peers (ICE, DTLS, SRTP, Opus) with a network between them, one seed after the other.
struct Run {
    let calls: Int
    /// How long they talk once both have heard each other.
    let talk: Duration
    let loss: Double

    /// CPU seconds, and the seconds of virtual time that went by.
    func time() throws -> (cpu: Double, virtual: Double) {
        let start = clock()
        var virtual = 0.0
        for seed in 1...UInt64(self.calls) {
            let scene = CallScene(seed: seed, loss: self.loss)
            try scene.connect()
            guard scene.run(until: 60_000, isDone: { scene.callers.allSatisfy { $0.audibleAt != nil } }) else {
                throw Unheard(seed: seed)
            }
            scene.network.run(for: self.talk)
            scene.caller.hangUp()
            scene.network.run(for: .milliseconds(100))
            virtual += Instant(milliseconds: 0).duration(to: scene.network.now) / .seconds(1)
        }
        return (Double(clock() - start) / Double(CLOCKS_PER_SEC), virtual)
    }
}

let runs = [
    ("set up and heard, then hung up", Run(calls: 300, talk: .zero, loss: 0)),
    ("the same with 10 % lost each way", Run(calls: 300, talk: .zero, loss: 0.1)),
    ("the same, and a minute of talk", Run(calls: 6, talk: .seconds(60), loss: 0.1)),
]
precondition(VirtualTimeOfDay.isTold, "OpenSSL sees another time than the calls")
// Keys are made before.
_ = try Run(calls: 1, talk: .zero, loss: 0).time()
let rows = try runs.map { name, run in
    let (cpu, virtual) = try run.time()
    return "\"\(name)\": [\(Double(run.calls) / cpu), \(virtual / cpu)]"
}
print("{\(rows.joined(separator: ", "))}")
