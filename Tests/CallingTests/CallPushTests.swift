import Calling
import Testing
import Vocabulary

@Suite("A call to devices that sleep")
struct CallPushTests {
    private static func scene() -> CallScene {
        var settings = CallSettings()
        settings.wakesDevices = true
        return CallScene(settings: settings)
    }

    @Test("H15 rings as long as any other while they are woken, and rings the one that comes up")
    func answered() throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b")
        try scene.push("1", true)
        #expect(scene.heard() == ["1: b's devices are woken", "1: a1 hears that devices are woken"])
        scene.wait(.seconds(44))
        try scene.open("b1")
        try scene.acknowledge("1", on: "b1")
        #expect(scene.heard() == ["1: b1 rings for a1", "1: a1 hears ringing"])
        try scene.accept("1", on: "b1")
        #expect(
            scene.heard() == ["1: the push is taken back", "1: a1 caller talks with b1", "1: b1 callee talks with a1"])
    }

    @Test("H15 is offline when the callee turns out to have none")
    func none() throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b")
        #expect(scene.heard() == ["1: b's devices are woken"])
        try scene.push("1", false)
        #expect(scene.heard() == ["1: a1 ended offline", "1: recorded offline"])
        #expect(scene.table.count == 0 && scene.table.deadline == nil)
    }

    @Test("H15 is not answered when none of them comes up while it rings")
    func noAnswer() throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b")
        try scene.push("1", true)
        _ = scene.heard()
        scene.wait(.seconds(45))
        #expect(scene.heard() == ["1: the push is taken back", "1: a1 ended noAnswer", "1: recorded noAnswer"])
    }

    @Test("H15 is taken back when the caller hangs up, or was answered before anybody knew of them")
    func withdrawn() throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b")
        try scene.push("1", true)
        _ = scene.heard()
        try scene.hangUp("1", on: "a1")
        #expect(
            scene.heard() == ["1: the push is taken back", "1: a1 ended cancelled by a", "1: recorded cancelled by a"])
        try scene.ring("2", from: "a1", to: "b", on: "b1")
        try scene.accept("2", on: "b1")
        _ = scene.heard()
        try scene.push("2", true)
        #expect(scene.heard() == [], "it rings no more")
    }

    @Test("H15 goes on ringing when those that are up go, or cannot take it")
    func left() throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        try scene.push("1", true)
        try scene.fail("1", on: "b1")
        try scene.lose("b2")
        _ = scene.heard()
        scene.wait(.seconds(44))
        #expect(scene.heard() == [])
        try scene.open("b3")
        #expect(scene.heard() == ["1: b3 rings for a1"])
    }

    @Test("H15 ends as it would have without them when there are none", arguments: [true, false])
    func hopeless(fails: Bool) throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        if fails { try scene.fail("1", on: "b1") } else { try scene.lose("b1") }
        _ = scene.heard()
        scene.wait(.seconds(1))
        try scene.push("1", false)
        if fails { #expect(scene.heard() == ["1: a1 ended failed", "1: recorded failed"]) }
        scene.wait(.seconds(15))
        if !fails {
            #expect(scene.heard() == ["1: a1 ended offline", "1: b1 ended offline", "1: recorded offline"])
        }
    }

    @Test("H15 is told as woken once, and not after a device rings")
    func told() throws {
        var scene = Self.scene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.acknowledge("1", on: "b1")
        try scene.push("1", true)
        try scene.push("1", true)
        #expect(scene.heard() == ["1: b1 rings for a1", "1: b's devices are woken", "1: a1 hears ringing"])
    }
}
