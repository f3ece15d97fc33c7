import Reactor
import System
import Testing
import Vocabulary

@Suite("An event loop")
struct EventLoopTests {
    @Test("runs what other threads hand in, in the order of each of them")
    func order() async throws {
        try await withLoops { group in
            let loop = group.loops[0]
            let seen = Locked<[Int: [Int]]>([:])
            await withTaskGroup(of: Void.self) { tasks in
                for sender in 0..<8 {
                    tasks.addTask {
                        for number in 0..<2000 {
                            loop.execute { _ in seen.withLock { $0[sender, default: []].append(number) } }
                        }
                    }
                }
            }
            try await loop.run { _ in }
            for sender in 0..<8 { #expect(seen.withLock { $0[sender] } == Array(0..<2000)) }
        }
    }

    private final class Reader: DatagramHandler {
        private let read: () -> Void

        init(_ read: @escaping () -> Void) { self.read = read }

        func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) { self.read() }
    }

    @Test("B05 that stood still reads what came meanwhile before late timers fire")
    func standstill() async throws {
        try await withLoops(2) { group in
            let (loop, other) = (group.loops[0], group.loops[1])
            let order = Locked<[String]>([])
            let address = try await loop.run { reactor in
                let socket = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
                socket.start(Reader { order.withLock { $0.append("datagram") } })
                return socket.address
            }
            await withCheckedContinuation { (fired: CheckedContinuation<Void, Never>) in
                loop.execute { reactor in
                    reactor.schedule(after: .milliseconds(100)) {
                        order.withLock { $0.append("timer") }
                        fired.resume()
                    }
                    // Not before the end of this turn, where the timer is set; and while the loop looks at its sockets.
                    reactor.schedule(after: .milliseconds(1)) {
                        other.execute { _ in loop.execute { _ in self.standStill(while: other, sendsTo: address) } }
                    }
                }
            }
            #expect(order.withLock { $0 } == ["datagram", "timer"])
        }
    }

    private func standStill(while other: EventLoop, sendsTo address: SocketAddress) {
        other.execute { reactor in
            let socket = try? UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
            socket?.send([1].span, to: address)
        }
        let end = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < end {}
    }

    @Test("is the home of an actor, whose methods its callbacks may call without a hop")
    func actorOnLoop() async throws {
        actor Counter {
            nonisolated let loop: EventLoop
            nonisolated var unownedExecutor: UnownedSerialExecutor { self.loop.asUnownedSerialExecutor() }
            private var count = 0

            init(on loop: EventLoop) { self.loop = loop }
            func add() -> Int {
                #expect(self.loop.isCurrent)
                self.count += 1
                return self.count
            }
        }
        try await withLoops { group in
            let counter = Counter(on: group.loops[0])
            #expect(await counter.add() == 1)
            let second = try await group.loops[0].run { _ in counter.assumeIsolated { $0.add() } }
            #expect(second == 2)
        }
    }

    @Test("brings a task that prefers it back to its own thread after every wait")
    func taskPreference() async throws {
        try await withLoops(2) { group in
            let (here, there) = (group.loops[0], group.loops[1])
            let stayed = Task(executorPreference: here) {
                var stayed = here.isCurrent
                for _ in 0..<100 {
                    _ = try await there.run { _ in 1 }
                    stayed = stayed && here.isCurrent
                }
                return stayed
            }
            let alwaysHome = try await stayed.value
            #expect(alwaysHome)
        }
    }

    @Test("does what has no hurry in order, and looks after timers in between")
    func withoutHurry() async throws {
        try await withLoops { group in
            let seen: [String] = await group.loops[0].wait { reactor, done in
                var seen: [String] = []
                reactor.schedule(after: .zero) { seen.append("timer") }
                for number in 1...4 {
                    reactor.withoutHurry {
                        seen.append("\(number)")
                        // More than a turn gives to such work.
                        let start = ContinuousClock.now
                        while start.duration(to: .now) < .milliseconds(1) {}
                        if number == 4 { done(seen) }
                    }
                }
            }
            #expect(seen.filter { $0 != "timer" } == ["1", "2", "3", "4"])
            #expect(seen.firstIndex(of: "timer").map { (1...3).contains($0) } == true)
        }
    }

    @Test("fires timers in order and not the cancelled ones")
    func timers() async throws {
        try await withLoops { group in
            let fired: [Int] = await group.loops[0].wait { reactor, done in
                var fired: [Int] = []
                for number in [3, 1, 2] {
                    reactor.schedule(after: .milliseconds(number * 5)) { fired.append(number) }
                }
                let cancelled = reactor.schedule(after: .milliseconds(12)) { fired.append(99) }
                reactor.cancel(cancelled)
                reactor.schedule(after: .milliseconds(20)) { done(fired) }
            }
            #expect(fired == [1, 2, 3])
        }
    }

    @Test("never fires a timer early")
    func notEarly() async throws {
        try await withLoops { group in
            let early: Bool = await group.loops[0].wait { reactor, done in
                let start = reactor.now
                reactor.schedule(after: .microseconds(7500)) { done(reactor.now < start + 8) }
            }
            #expect(!early)
        }
    }

    @Test("sends slow work away and gets its result back")
    func offload() async throws {
        try await withLoops { group in
            let loop = group.loops[0]
            let places: [Bool] = await loop.wait { reactor, done in
                reactor.offload({ loop.isCurrent }, completion: { done([$0, loop.isCurrent]) })
            }
            #expect(places == [false, true])
        }
    }

    @Test("lets each loop keep a value of its own")
    func loopLocal() async throws {
        try await withLoops(3) { group in
            let local = LoopLocal(group) { $0.loop.index }
            for loop in group.loops {
                let value = try await loop.run { local.value(on: $0) }
                #expect(value == loop.index)
            }
        }
    }
}
