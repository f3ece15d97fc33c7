import Reactor
import TestSupport
import Testing

@Suite("A timer wheel")
struct TimerWheelTests {
    @Test("fires each timer at its tick, earliest first, whatever the order they were started in")
    func order() {
        var wheel = TimerWheel<UInt64>(startingAt: 1000)
        var random = SeededRandom(seed: 3)
        let deadlines = (0..<20_000).map { _ in 1001 + UInt64.random(in: 0..<5_000_000, using: &random) }
        for deadline in deadlines { _ = wheel.start(at: deadline, deadline) }
        var fired: [UInt64] = []
        while let next = wheel.nextDeadline {
            while let deadline = wheel.popDue(at: next) {
                #expect(deadline == next)
                fired.append(deadline)
            }
        }
        #expect(fired == deadlines.sorted())
        #expect(wheel.count == 0)
    }

    @Test("agrees with a plain list over a long random life", arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var wheel = TimerWheel<Int>(startingAt: 0)
        var model: [Int: (deadline: UInt64, token: TimerToken)] = [:]
        var now: UInt64 = 0
        for step in 0..<2000 {
            if Bool.random(using: &random) {
                let deadline = now + 1 + (UInt64(1) << UInt64.random(in: 0..<34, using: &random))
                model[step] = (deadline, wheel.start(at: deadline, step))
            }
            if let victim = model.keys.sorted().first, UInt8.random(in: 0..<4, using: &random) == 0 {
                #expect(wheel.cancel(model[victim]!.token) == victim)
                #expect(wheel.cancel(model[victim]!.token) == nil)
                model[victim] = nil
            }
            now += UInt64(1) << UInt64.random(in: 0..<24, using: &random)
            var fired: Set<Int> = []
            while let due = wheel.popDue(at: now) { fired.insert(due) }
            #expect(fired == Set(model.filter { $0.value.deadline <= now }.keys))
            for due in fired { model[due] = nil }
            #expect(wheel.count == model.count)
        }
    }

    @Test("a deadline in the past fires at the next tick")
    func past() {
        var wheel = TimerWheel<String>(startingAt: 50)
        _ = wheel.start(at: 10, "late")
        #expect(wheel.popDue(at: 50) == nil)
        #expect(wheel.popDue(at: 51) == "late")
    }

    @Test("a timer may start another while it fires")
    func chain() {
        var wheel = TimerWheel<Int>(startingAt: 0)
        _ = wheel.start(at: 1, 0)
        var fired = 0
        while let next = wheel.nextDeadline, fired < 100 {
            while let number = wheel.popDue(at: next) {
                fired += 1
                if number < 99 { _ = wheel.start(at: next + 1, number + 1) }
            }
        }
        #expect(fired == 100)
    }

    @Test("holds a hundred thousand timers and forgets them all")
    func many() {
        var wheel = TimerWheel<Int>(startingAt: 0)
        let tokens = (0..<100_000).map { wheel.start(at: UInt64($0 % 60_000) + 1, $0) }
        #expect(wheel.count == 100_000)
        for token in tokens { wheel.cancel(token) }
        #expect(wheel.count == 0)
        #expect(wheel.nextDeadline == nil)
    }
}
