import Calling
import Testing
import Vocabulary

@Suite("A call whose links break")
struct CallLinkTests {
    @Test("waits 15 seconds for a side that talks, then is lost", arguments: [("a1", "b1", "a"), ("b1", "a1", "b")])
    func lost(line: String, peer: String, user: String) throws {
        var scene = try CallScene.talking()
        try scene.lose(line)
        #expect(scene.heard() == ["1: \(peer) waits"])
        scene.wait(.milliseconds(14_999))
        #expect(scene.heard() == [])
        scene.wait(.milliseconds(1))
        #expect(
            scene.heard() == [
                "1: a1 ended lost by \(user)", "1: b1 ended lost by \(user)", "1: recorded lost by \(user)",
            ])
    }

    @Test("goes on when the same session is back in time")
    func sameSession() throws {
        var scene = try CallScene.talking()
        try scene.lose("b1")
        scene.wait(.seconds(14))
        try scene.open("b1")
        #expect(scene.heard() == ["1: a1 waits", "1: a1 talks on with b1"])
        #expect(scene.table.deadline == nil)
    }

    @Test("gives the seat to a new session of the same user, and tells the old one for good")
    func newSession() throws {
        var scene = try CallScene.talking()
        try scene.lose("b1")
        let view = try scene.takeSeat("1", on: "b2")
        #expect(scene.heard() == ["1: a1 waits", "1: a1 talks on with b2", "1: b1 moved elsewhere"])
        let connection = CallConnection(peer: try Cast.line("a1"), kind: .video, role: .callee)
        #expect(view.phase == .talking(connection, isPeerAway: false, peerRecordingSince: nil))
        #expect(throws: CallRefusal.answeredElsewhere) { try scene.hangUp("1", on: "b1") }
    }

    @Test("gives away a seat that looks taken only to who names its holder")
    func replacing() throws {
        var scene = try CallScene.talking()
        #expect(throws: CallRefusal.seatTaken) { try scene.takeSeat("1", on: "a2") }
        #expect(throws: CallRefusal.seatTaken) { try scene.takeSeat("1", on: "a2", replacing: "b1") }
        try scene.takeSeat("1", on: "a2", replacing: "a1")
        #expect(scene.heard() == ["1: b1 talks on with a2", "1: a1 moved elsewhere"])
    }

    @Test("J35.call tells the other side of a recording, and its next device, until who makes it is gone")
    func recording() throws {
        var scene = try CallScene.talking()
        try scene.record("1", on: "a1", since: 5)
        try scene.record("1", on: "a1", since: 7)
        let view = try scene.takeSeat("1", on: "b2", replacing: "b1")
        let connection = CallConnection(peer: try Cast.line("a1"), kind: .video, role: .callee)
        let start = WallTime(milliseconds: 5)
        #expect(view.phase == .talking(connection, isPeerAway: false, peerRecordingSince: start))
        #expect(throws: CallRefusal.answeredElsewhere) { try scene.record("1", on: "b1", since: 9) }
        try scene.takeSeat("1", on: "a2", replacing: "a1")
        try scene.record("1", on: "a2", since: nil)
        #expect(
            scene.heard() == [
                "1: b1 hears of a recording since 5", "1: a1 talks on with b2", "1: b1 moved elsewhere",
                "1: b2 talks on with a2", "1: b2 hears of a recording no more", "1: a1 moved elsewhere",
            ])
    }

    @Test("can be hung up by its user from anywhere while the seat waits")
    func hangUpFromElsewhere() throws {
        var scene = try CallScene.talking()
        try scene.lose("b1")
        _ = scene.heard()
        try scene.hangUp("1", on: "b2")
        #expect(scene.table.count == 0)
    }

    @Test("ends at the earlier of two broken links")
    func bothLost() throws {
        var scene = try CallScene.talking()
        try scene.lose("b1")
        scene.wait(.seconds(5))
        try scene.lose("a1")
        try scene.lose("b1")
        scene.wait(.seconds(10))
        #expect(scene.heard().last == "1: recorded lost by b")
    }

    @Test("stops ringing when the caller is gone for 15 seconds")
    func callerGone() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.lose("a1")
        _ = scene.heard()
        scene.wait(.seconds(15))
        #expect(scene.heard() == ["1: a1 ended lost by a", "1: b1 ended lost by a", "1: recorded lost by a"])
    }

    @Test("keeps ringing for a caller who is back, also with a new session")
    func callerBack() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.lose("a1")
        try scene.open("a1")
        try scene.lose("a1")
        _ = scene.heard()
        #expect(try scene.takeSeat("1", on: "a2").phase == .ringing)
        scene.wait(.seconds(30))
        try scene.accept("1", on: "b1")
        #expect(
            scene.heard() == [
                "1: a1 moved elsewhere", "1: a2 caller talks with b1", "1: b1 callee talks with a2",
            ])
    }

    @Test("that is answered while the caller is away waits for them")
    func answeredWhileCallerAway() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.lose("a1")
        _ = scene.heard()
        try scene.accept("1", on: "b1")
        try scene.open("a1")
        #expect(
            scene.heard() == [
                "1: a1 caller talks with b1", "1: b1 callee talks with a1", "1: b1 waits", "1: b1 talks on with a1",
            ])
    }

    @Test("rings on a device that comes up while it rings, and not twice on one that is back")
    func lateDevice() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.lose("b1")
        try scene.open("b1")
        try scene.open("b2")
        try scene.open("b2")
        #expect(scene.heard() == ["1: b1 rings for a1", "1: b2 rings for a1"])
    }

    @Test("is offline when the last ringing device was gone for 15 seconds")
    func lastDeviceGone() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2")
        try scene.lose("b1")
        scene.wait(.seconds(20))
        try scene.lose("b2")
        _ = scene.heard()
        scene.wait(.seconds(15))
        #expect(
            scene.heard() == [
                "1: a1 ended offline", "1: b1 ended offline", "1: b2 ended offline", "1: recorded offline",
            ])
    }

    @Test("can be answered by a session that came back faster than anybody noticed")
    func acceptedOnNewSession() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        _ = scene.heard()
        try scene.accept("1", on: "b2")
        #expect(
            scene.heard() == [
                "1: b1 answered elsewhere", "1: a1 caller talks with b2", "1: b2 callee talks with a1",
            ])
    }

    @Test("rings no more devices than it may: devices one call rings")
    func deviceLimit() throws {
        var settings = CallSettings()
        settings.maximumDevices = 2
        var scene = CallScene(settings: settings)
        try scene.ring("1", from: "a1", to: "b", on: "b1", "b2", "b3")
        try scene.open("b4")
        #expect(scene.heard() == ["1: b1 rings for a1", "1: b2 rings for a1"])
    }
}
