import Calling
import Testing
import Vocabulary

@Suite("Two calls that cross")
struct CallCrossingTests {
    @Test("become the first one, answered at once, when that has the smaller name")
    func firstSurvives() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        _ = scene.heard()
        #expect(try scene.ring("2", from: "b1", to: "a", on: "a1") == "1")
        #expect(
            scene.heard() == [
                "1: b2 answered elsewhere", "1: a1 caller talks with b1", "1: b1 callee talks with a1",
            ])
        #expect(scene.table.count == 1 && scene.table.deadline == nil)
    }

    @Test("become the second one when that has the smaller name, and leave one record")
    func secondSurvives() throws {
        var scene = CallScene()
        try scene.ring("2", from: "a1", to: "b", on: "b1", "b2")
        _ = scene.heard()
        #expect(try scene.ring("1", from: "b1", to: "a", on: "a1") == "1")
        #expect(
            scene.heard() == [
                "2: a1 goes on as 1", "2: b1 goes on as 1", "2: b2 answered elsewhere",
                "1: b1 caller talks with a1", "1: a1 callee talks with b1",
            ])
        try scene.hangUp("1", on: "a1")
        #expect(scene.records.map(\.id) == [try Cast.call("1")])
        #expect(scene.table.count == 0)
    }

    @Test("answer to both names", arguments: [("1", "2"), ("2", "1")])
    func bothNames(first: String, second: String) throws {
        var scene = CallScene()
        try scene.ring(first, from: "a1", to: "b", on: "b1")
        try scene.ring(second, from: "b1", to: "a", on: "a1")
        _ = scene.heard()
        #expect(try scene.ring(first, from: "a1", to: "b", on: "b1") == "1")
        #expect(try scene.ring(second, from: "b1", to: "a", on: "a1") == "1")
        #expect(try scene.takeSeat("2", on: "a1").id == Cast.call("1"))
        #expect(scene.heard() == [])
        try scene.hangUp("2", on: "b1")
        #expect(throws: CallRefusal.ended(.completed)) { try scene.hangUp("2", on: "a1") }
        #expect(throws: CallRefusal.ended(.completed)) { try scene.ring(second, from: "b1", to: "a") }
        #expect(throws: CallRefusal.nameTaken) { try scene.ring(second, from: "a1", to: "b") }
    }

    @Test("also when the second comes from a device that does not ring")
    func unrungDevice() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        _ = scene.heard()
        try scene.ring("2", from: "b2", to: "a", on: "a1", "a2")
        #expect(
            scene.heard() == [
                "1: b1 answered elsewhere", "1: a1 caller talks with b2", "1: b2 callee talks with a1",
            ])
    }

    @Test("wait for a first caller whose link just broke")
    func callerAway() throws {
        var scene = CallScene()
        try scene.ring("2", from: "a1", to: "b", on: "b1")
        try scene.lose("a1")
        try scene.ring("1", from: "b1", to: "a")
        _ = scene.heard()
        try scene.open("a1")
        #expect(scene.heard() == ["1: b1 talks on with a1"])
    }

    @Test(
        "show a camera only if both meant to",
        arguments: [
            (CallKind.audio, CallKind.video, CallKind.audio), (.video, .audio, .audio), (.video, .video, .video),
        ], [("1", "2"), ("2", "1")])
    func kinds(kinds: (CallKind, CallKind, CallKind), names: (String, String)) throws {
        var scene = CallScene()
        try scene.ring(names.0, from: "a1", to: "b", on: "b1", kind: kinds.0)
        try scene.ring(names.1, from: "b1", to: "a", on: "a1", kind: kinds.1)
        #expect(try scene.table.view(of: Cast.call("1"), for: Cast.line("a1")).kind == kinds.2)
    }

    @Test("are no crossing once one of them is answered: the other finds its callee busy")
    func tooLate() throws {
        var scene = try CallScene.talking()
        try scene.ring("0", from: "b2", to: "a", on: "a1")
        #expect(scene.heard() == ["0: b2 ended busy", "0: recorded busy"])
    }
}
