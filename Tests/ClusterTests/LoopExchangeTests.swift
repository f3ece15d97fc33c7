import Clustering
import Reactor
import System
import Testing
import Vocabulary

@testable import Cluster

/// Something of which no bytes may be made.
private struct Value: LedgerValue, Hashable {
    let number: Int

    var ledgerBytes: [UInt8] {
        Issue.record("bytes were made for a loop of the same process")
        return []
    }
}

/// Writes down what its node is told to do.
private final class Recorder: LedgerReader {
    private(set) var changes: [[UInt8]] = []
    private(set) var serials: [UInt64] = []
    private(set) var letters: [[UInt8]] = []
    private(set) var values: [Value] = []
    private let node: RandomToken

    init(_ node: RandomToken) { self.node = node }

    func carryOut(_ change: any LedgerValue, of node: RandomToken, serial: UInt64, at time: Instant) {
        if let value = change as? Value { return self.values.append(value) }
        self.changes.append(change.ledgerBytes)
        if node == self.node { self.serials.append(serial) }
    }

    func received(_ letter: any LedgerValue) {
        if let value = letter as? Value { return self.values.append(value) }
        self.letters.append(letter.ledgerBytes)
    }

    func nodeGone(_ node: RandomToken, at time: Instant) {}
    func writeSnapshot() -> [UInt8] { [] }
    func adopt(_ snapshot: [UInt8]) -> Bool { true }
    func enteredLedger(mayHaveMissed: Bool, at time: Instant) {}
    func fellOutOfLedger() {}
}

/// Three loops beside each other, each with a recorder.
private final class Bench: Sendable {
    static let count = 3
    let group: EventLoopGroup
    let exchange: LoopExchange
    private let recorders: LoopLocal<Recorder>

    init() throws {
        var random = SystemRandomNumberGenerator()
        let names = (0..<Self.count).map { _ in RandomToken(using: &random) }
        self.group = try EventLoopGroup(count: Self.count)
        self.exchange = LoopExchange(names, on: self.group)
        self.recorders = LoopLocal(self.group) { Recorder(names[$0.loop.index]) }
    }

    /// Calls `body` on a loop and waits for what it returns.
    func on<Value: Sendable>(
        _ loop: Int, _ body: @escaping @Sendable (Reactor, LoopNode, Recorder) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            self.group.loops[loop].execute { [exchange, recorders] reactor in
                let (node, recorder) = (exchange.node(on: reactor), recorders.value(on: reactor))
                continuation.resume(returning: body(reactor, node, recorder))
            }
        }
    }

    func start() async {
        for loop in 0..<Self.count { await self.on(loop) { _, node, recorder in node.start(recorder) } }
    }
}

@Suite("Y13 Loops beside each other") struct LoopExchangeTests {
    @Test("carry out the changes of all in one order, and know their own")
    func oneOrder() async throws {
        let bench = try Bench()
        defer { bench.group.shutDown() }
        await bench.start()
        await withTaskGroup(of: Void.self) { tasks in
            for loop in 0..<Bench.count {
                tasks.addTask {
                    for number in 0..<500 {
                        await bench.on(loop) { _, node, _ in
                            _ = node.append([UInt8(loop), UInt8(number % 256)])
                            if number % 7 == 0 { node.fetch() }
                        }
                    }
                }
            }
        }
        var all: [[[UInt8]]] = []
        for loop in 0..<Bench.count {
            let (changes, serials) = await bench.on(loop) { _, node, recorder in
                node.fetch()
                return (recorder.changes, recorder.serials)
            }
            all.append(changes)
            #expect(serials == Array(1...500))
        }
        #expect(all[0].count == 500 * Bench.count)
        #expect(all[1] == all[0] && all[2] == all[0])
    }

    @Test("have what others did in their hands before they answer anybody")
    func inTheBox() async throws {
        let bench = try Bench()
        defer { bench.group.shutDown() }
        await bench.start()
        for round in 0..<200 {
            _ = await bench.on(0) { _, node, _ in node.append([UInt8(round)]) }
            let seen = await bench.on(1) { _, node, recorder in
                node.fetch()
                return recorder.changes.last
            }
            #expect(seen == [UInt8(round)])
        }
    }

    @Test("hand each other values, and make no bytes of them")
    func values() async throws {
        let bench = try Bench()
        defer { bench.group.shutDown() }
        await bench.start()
        let target = bench.exchange.names[1]
        await bench.on(0) { _, node, _ in
            _ = node.append(Value(number: 1))
            node.send(Value(number: 2), to: target)
        }
        let values = await bench.on(1) { _, node, recorder in
            node.fetch()
            return recorder.values
        }
        #expect(values == [Value(number: 1), Value(number: 2)])
    }

    @Test("send a letter to one of them alone, and keep what comes before it has begun")
    func letters() async throws {
        let bench = try Bench()
        defer { bench.group.shutDown() }
        let target = bench.exchange.names[2]
        _ = await bench.on(0) { _, node, _ in node.send([7], to: target) }
        await bench.start()
        for loop in 0..<Bench.count {
            let letters = await bench.on(loop) { _, node, recorder in
                node.fetch()
                return recorder.letters
            }
            #expect(letters == (loop == 2 ? [[7]] : []))
        }
    }
}
