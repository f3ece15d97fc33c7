import Calling
import Testing
import Vocabulary

@Suite("A call")
struct CallTests {
    @Test("rings every device, and is answered elsewhere for all but the one that took it")
    func manyDevices() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2", "b3")
        #expect(scene.heard() == ["1: b1 rings for a1", "1: b2 rings for a1", "1: b3 rings for a1"])
        try scene.accept("1", on: "b2")
        #expect(
            scene.heard() == [
                "1: b1 answered elsewhere", "1: b3 answered elsewhere", "1: a1 caller talks with b2",
                "1: b2 callee talks with a1",
            ])
    }

    @Test("tells the caller once that it rings, however many devices say so")
    func ringing() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        _ = scene.heard()
        try scene.acknowledge("1", on: "b2")
        try scene.acknowledge("1", on: "b2")
        try scene.acknowledge("1", on: "b1")
        #expect(scene.heard() == ["1: a1 hears ringing"])
    }

    @Test("has one winner: who is second learns that it was answered elsewhere, who says it twice is not told off")
    func oneWinner() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        try scene.accept("1", on: "b1")
        _ = scene.heard()
        try scene.accept("1", on: "b1")
        #expect(throws: CallRefusal.answeredElsewhere) { try scene.accept("1", on: "b2") }
        #expect(scene.heard() == [])
    }

    @Test("that is declined on one device ends on all")
    func declined() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        _ = scene.heard()
        try scene.decline("1", on: "b2")
        #expect(
            scene.heard() == [
                "1: a1 ended declined by b", "1: b1 ended declined by b", "1: b2 ended declined by b",
                "1: recorded declined by b",
            ])
    }

    @Test("is not ended by a no that crossed a yes on another device")
    func lateDecline() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        try scene.accept("1", on: "b1")
        _ = scene.heard()
        #expect(throws: CallRefusal.answeredElsewhere) { try scene.decline("1", on: "b2") }
        #expect(throws: CallRefusal.answeredElsewhere) { try scene.hangUp("1", on: "b2") }
        #expect(scene.heard() == [] && scene.table.count == 1)
    }

    @Test("stops ringing when the caller cancels, from whichever device", arguments: ["a1", "a2"])
    func cancelled(on line: String) throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        _ = scene.heard()
        try scene.hangUp("1", on: line)
        #expect(
            scene.heard() == [
                "1: a1 ended cancelled by a", "1: b1 ended cancelled by a", "1: recorded cancelled by a",
            ])
    }

    @Test("rings for 45 seconds and no longer")
    func noAnswer() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        _ = scene.heard()
        scene.wait(.milliseconds(44_999))
        #expect(scene.heard() == [])
        scene.wait(.milliseconds(1))
        #expect(scene.heard() == ["1: a1 ended noAnswer", "1: b1 ended noAnswer", "1: recorded noAnswer"])
    }

    @Test("to somebody without a device ends at once")
    func offline() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b")
        #expect(scene.heard() == ["1: a1 ended offline", "1: recorded offline"])
        #expect(scene.table.count == 0 && scene.table.deadline == nil)
    }

    @Test("ends for both when one hangs up, and history knows how long they talked", arguments: ["a1", "b1"])
    func hungUp(on line: String) throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        scene.wait(.seconds(5))
        try scene.accept("1", on: "b1")
        _ = scene.heard()
        scene.wait(.seconds(60))
        try scene.hangUp("1", on: line)
        let record = try #require(scene.records.first)
        #expect(record.outcome == .completed && record.answered?.duration(to: record.ended) == .seconds(60))
        #expect(record.started.duration(to: record.ended) == .seconds(65))
        let user = line.prefix(1)
        #expect(
            scene.heard() == [
                "1: a1 ended completed by \(user)", "1: b1 ended completed by \(user)",
                "1: recorded completed by \(user)",
            ])
    }

    @Test("goes on ringing when one device cannot take it, and fails with the last of them")
    func deviceFails() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        _ = scene.heard()
        try scene.fail("1", on: "b1")
        try scene.fail("1", on: "b1")
        #expect(scene.heard() == ["1: b1 ended failed by b"])
        try scene.fail("1", on: "b2")
        #expect(
            scene.heard() == ["1: b2 ended failed by b", "1: a1 ended failed by b", "1: recorded failed by b"])
    }

    @Test("ends when the device that cannot go on is the caller's or one that talks", arguments: [true, false])
    func sideFails(whileItRings: Bool) throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        if !whileItRings { try scene.accept("1", on: "b1") }
        _ = scene.heard()
        try scene.fail("1", on: "a1")
        #expect(scene.heard() == ["1: a1 ended failed by a", "1: b1 ended failed by a", "1: recorded failed by a"])
    }

    @Test("A stranger can neither signal in a call nor end it")
    func strangers() throws {
        var scene = try CallScene.talking()
        #expect(throws: CallRefusal.notYours) { try scene.hangUp("1", on: "c1") }
        #expect(throws: CallRefusal.notYours) { try scene.accept("1", on: "c1") }
        #expect(throws: CallRefusal.notYours) { try scene.takeSeat("1", on: "c1", replacing: "a1") }
        #expect(throws: CallRefusal.notYours) { try scene.table.route(Cast.call("1"), from: Cast.line("c1")) }
        try scene.hangUp("1", on: "a1")
        #expect(throws: CallRefusal.unknownCall) { try scene.table.view(of: Cast.call("1"), for: Cast.line("c1")) }
    }

    @Test("carries descriptions and candidates between the two seats and nowhere else")
    func routes() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        let (call, a1, b2) = try (Cast.call("1"), Cast.line("a1"), Cast.line("b2"))
        #expect(throws: CallRefusal.stillRinging) { try scene.table.route(call, from: a1) }
        try scene.accept("1", on: "b1")
        #expect(try scene.table.route(call, from: a1) == .deliver(to: Cast.session("b1")))
        #expect(throws: CallRefusal.answeredElsewhere) { try scene.table.route(call, from: b2) }
        try scene.lose("b1")
        #expect(try scene.table.route(call, from: a1) == .keep(for: Cast.session("b1")))
        try scene.hangUp("1", on: "a1")
        #expect(throws: CallRefusal.ended(.completed)) { try scene.table.route(call, from: a1) }
    }
}
