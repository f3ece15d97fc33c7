import Calling
import Testing
import Vocabulary

@Suite("A table of calls")
struct CallTableTests {
    @Test("tells the caller that the callee is busy: ringing, calling or talking", arguments: ["1", "2", "3"])
    func busy(case which: String) throws {
        var scene = CallScene()
        switch which {
        case "1": try scene.ring("1", from: "c1", to: "b", on: "b1")
        case "2": try scene.ring("1", from: "b1", to: "c", on: "c1")
        default:
            try scene.ring("1", from: "c1", to: "b", on: "b1")
            try scene.accept("1", on: "b1")
        }
        _ = scene.heard()
        try scene.ring("2", from: "a1", to: "b", on: "b1", "b2")
        #expect(scene.heard() == ["2: a1 ended busy", "2: recorded busy"])
    }

    @Test("finds nobody busy whose call is over")
    func freeAgain() throws {
        var scene = try CallScene.talking()
        try scene.hangUp("1", on: "b1")
        _ = scene.heard()
        try scene.ring("2", from: "c1", to: "b", on: "b1")
        #expect(scene.heard() == ["2: b1 rings for c1"])
    }

    @Test("lets a second call knock where call waiting is on")
    func callWaiting() throws {
        var settings = CallSettings()
        settings.busyFrom = 2
        var scene = try CallScene.talking(settings: settings)
        try scene.ring("2", from: "c1", to: "b", on: "b1")
        #expect(scene.heard() == ["2: b1 rings for c1"])
        try scene.ring("3", from: "d1", to: "b", on: "b1")
        #expect(scene.heard() == ["3: d1 ended busy", "3: recorded busy"])
    }

    @Test("takes no more calls from one user than they may have, and none to themselves")
    func limits() throws {
        var settings = CallSettings()
        settings.maximumCallsPerUser = 2
        var scene = CallScene(settings: settings)
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.ring("2", from: "a1", to: "c", on: "c1")
        #expect(throws: CallRefusal.tooManyCalls) { try scene.ring("3", from: "a1", to: "d", on: "d1") }
        #expect(throws: CallRefusal.callsThemselves) { try scene.ring("4", from: "a1", to: "a", on: "a2") }
    }

    @Test("knows an invitation that comes twice, also when its call is over")
    func repeated() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        _ = scene.heard()
        #expect(try scene.ring("1", from: "a1", to: "b", on: "b1") == "1")
        #expect(throws: CallRefusal.nameTaken) { try scene.ring("1", from: "c1", to: "b", on: "b1") }
        #expect(scene.heard() == [])
        try scene.decline("1", on: "b1")
        _ = scene.heard()
        #expect(throws: CallRefusal.ended(.declined)) { try scene.ring("1", from: "a1", to: "b", on: "b1") }
        #expect(throws: CallRefusal.nameTaken) { try scene.ring("1", from: "b1", to: "a", on: "a1") }
        #expect(scene.heard() == [])
    }

    @Test("tells latecomers how a call ended, as long as it remembers")
    func latecomers() throws {
        var settings = CallSettings()
        settings.maximumRemembered = 2
        var scene = CallScene(settings: settings)
        for name in ["1", "2", "3"] { try scene.ring(name, from: "a1", to: "b") }
        #expect(throws: CallRefusal.unknownCall) { try scene.accept("1", on: "b1") }
        #expect(throws: CallRefusal.ended(.offline)) { try scene.accept("2", on: "b1") }
        #expect(throws: CallRefusal.ended(.offline)) { try scene.takeSeat("3", on: "a1") }
        #expect(throws: CallRefusal.unknownCall) { try scene.hangUp("3", on: "c1") }
        #expect(throws: CallRefusal.unknownCall) { try scene.hangUp("never", on: "a1") }
    }

    @Test("lets the same pair call again and again, whoever hangs up")
    func sequentialCalls() throws {
        var scene = CallScene()
        for round in 1...20 {
            let (caller, callee) = round.isMultiple(of: 2) ? ("a", "b") : ("b", "a")
            try scene.ring("\(round)", from: "\(caller)1", to: callee, on: "\(callee)1")
            try scene.acknowledge("\(round)", on: "\(callee)1")
            try scene.accept("\(round)", on: "\(callee)1")
            try scene.hangUp("\(round)", on: round.isMultiple(of: 3) ? "a1" : "b1")
            #expect(scene.heard().count == 7 && scene.table.count == 0)
        }
    }

    @Test("ends a call that its caller forgot when the same line rings the same person again")
    func abandonedOnTheSameLine() throws {
        var scene = CallScene()
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        _ = scene.heard()
        try scene.ring("2", from: "a1", to: "b", on: "b1")
        #expect(
            scene.heard() == [
                "1: a1 ended cancelled by a", "1: b1 ended cancelled by a", "1: recorded cancelled by a",
                "2: b1 rings for a1",
            ])
    }

    @Test("ends a talk that a reload left behind when its user rings the same person again", arguments: ["a", "b"])
    func abandonedAfterReload(user: String) throws {
        var scene = try CallScene.talking()
        let other = user == "a" ? "b" : "a"
        try scene.lose("\(user)1")
        _ = scene.heard()
        try scene.ring("2", from: "\(user)2", to: other, on: "\(other)1")
        #expect(
            scene.heard() == [
                "1: a1 ended completed by \(user)", "1: b1 ended completed by \(user)",
                "1: recorded completed by \(user)", "2: \(other)1 rings for \(user)2",
            ])
    }

    @Test("finds a callee busy who already talks with another device of the caller")
    func busyWithMyself() throws {
        var scene = try CallScene.talking()
        try scene.ring("2", from: "a2", to: "b", on: "b1")
        #expect(scene.heard() == ["2: a2 ended busy", "2: recorded busy"])
    }

    @Test("ends all calls of a user who is sent away")
    func userRemoved() throws {
        var settings = CallSettings()
        settings.busyFrom = 3
        var scene = try CallScene.talking(settings: settings)
        try scene.ring("2", from: "a1", to: "c", on: "c1")
        try scene.ring("3", from: "d1", to: "a", on: "a1")
        _ = scene.heard()
        scene.table.userRemoved(try Cast.user("a"), at: scene.now, into: &scene.outbox)
        #expect(scene.records.map(\.outcome) == [.completed, .cancelled, .declined])
        #expect(scene.table.count == 0 && scene.table.deadline == nil)
    }

    @Test("ends what rings when the server stops, says why, and leaves those who talk to the next run")
    func serverStopped() throws {
        var scene = try CallScene.talking()
        try scene.ring("2", from: "c1", to: "d", on: "d1")
        _ = scene.heard()
        scene.table.serverStopped(at: scene.now, into: &scene.outbox)
        #expect(
            scene.heard() == [
                "2: c1 ended serverRestarted", "2: d1 ended serverRestarted", "2: recorded serverRestarted",
            ])
        try scene.lose("a1")
        scene.wait(.seconds(100))
        #expect(scene.heard() == [] && scene.table.count == 1)
    }

    /// The next run of the server after the one in which `a1` and `b1` talked.
    private func resumed() throws -> CallScene {
        let running = try #require(try CallScene.talking().table.running(Cast.call("1")))
        var scene = CallScene()
        scene.table.resumed(running, at: scene.now)
        return scene
    }

    @Test("seats two who talked when the server was restarted again, with the media they have")
    func resumedCall() throws {
        var scene = try self.resumed()
        #expect(throws: CallRefusal.notYours) { try scene.takeSeat("1", on: "c1", replacing: "a1") }
        #expect(try scene.takeSeat("1", on: "a2", keepsMedia: true).keepsMedia)
        #expect(try scene.takeSeat("1", on: "b2", keepsMedia: true).keepsMedia)
        #expect(
            scene.heard() == [
                "1: b1 talks on with a2 as before", "1: a1 moved elsewhere",
                "1: a2 talks on with b2 as before", "1: b1 moved elsewhere",
            ])
        try scene.hangUp("1", on: "a2")
        #expect(scene.records.map(\.outcome) == [.completed])
    }

    @Test("lets nobody keep media whose other end began anew")
    func resumedWithoutMedia() throws {
        var scene = try self.resumed()
        #expect(try !scene.takeSeat("1", on: "a2").keepsMedia)
        #expect(try !scene.takeSeat("1", on: "b2", keepsMedia: true).keepsMedia)
        #expect(try scene.takeSeat("1", on: "b3", replacing: "b2", keepsMedia: true).keepsMedia)
    }

    @Test("waits a minute for two who talked when the server was restarted", arguments: [0, 1])
    func resumedInVain(back: Int) throws {
        var scene = try self.resumed()
        if back == 1 { try scene.takeSeat("1", on: "a2", keepsMedia: true) }
        scene.wait(.milliseconds(59_999))
        #expect(scene.table.count == 1)
        scene.wait(.milliseconds(1))
        #expect(scene.records.map(\.outcome) == [back == 1 ? .lost : .serverRestarted])
        // Of two who never came nobody knows how long they talked on.
        #expect(scene.records.first.map { $0.ended == $0.answered } == (back == 0))
    }

    @Test("shows each line what it may see")
    func views() throws {
        var scene = CallScene()
        let call = try Cast.call("1")
        try scene.ring("1", from: "a1", to: "b", on: "b1", kind: .audio)
        #expect(try scene.table.view(of: call, for: Cast.line("b1")).phase == .ringing)
        try scene.accept("1", on: "b1")
        #expect(try scene.table.view(of: call, for: Cast.line("a2")).phase == .talkingElsewhere)
        try scene.lose("a1")
        let connection = CallConnection(peer: try Cast.line("a1"), kind: .audio, role: .callee)
        #expect(
            try scene.table.view(of: call, for: Cast.line("b1")).phase
                == .talking(connection, isPeerAway: true, peerRecordingSince: nil))
    }
}
