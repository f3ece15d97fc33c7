import Calling
import Vocabulary

/// A table with a clock, and everything it ordered as a transcript.
struct CallScene {
    var table: CallTable
    var outbox = CallOutbox()
    var now = Instant(milliseconds: 0)

    init(settings: CallSettings = CallSettings()) {
        self.table = CallTable(settings: settings)
    }

    /// What was ordered since the last time anybody asked.
    mutating func heard() -> [String] {
        defer { self.outbox.removeAll() }
        return self.outbox.orders.map(\.sentence)
    }

    var records: [CallRecord] {
        self.outbox.orders.compactMap { order in
            if case .record(let record) = order.action { record } else { nil }
        }
    }

    /// Line `caller` rings a user whose lines are `devices`.
    @discardableResult
    mutating func ring(
        _ call: String, from caller: String, to callee: String, on devices: String..., kind: CallKind = .video
    ) throws -> String {
        let invitation = try CallInvitation(
            Cast.call(call), from: Cast.line(caller), to: Cast.user(callee), kind: kind)
        let name = try self.table.invited(
            invitation, ringing: devices.map(Cast.session), at: self.now, into: &self.outbox)
        return Cast.name(of: name)
    }

    /// It is known now whether the callee has devices that sleep.
    mutating func push(_ call: String, _ areThereDevices: Bool) throws {
        self.table.pushed(try Cast.call(call), areThereDevices, at: self.now, into: &self.outbox)
    }

    mutating func acknowledge(_ call: String, on line: String) throws {
        try self.table.acknowledged(Cast.call(call), by: Cast.line(line), into: &self.outbox)
    }

    mutating func accept(_ call: String, on line: String) throws {
        try self.table.accepted(Cast.call(call), by: Cast.line(line), at: self.now, into: &self.outbox)
    }

    mutating func decline(_ call: String, on line: String) throws {
        try self.table.declined(Cast.call(call), by: Cast.line(line), at: self.now, into: &self.outbox)
    }

    mutating func hangUp(_ call: String, on line: String) throws {
        try self.table.hungUp(Cast.call(call), by: Cast.line(line), at: self.now, into: &self.outbox)
    }

    mutating func fail(_ call: String, on line: String) throws {
        try self.table.failed(Cast.call(call), by: Cast.line(line), at: self.now, into: &self.outbox)
    }

    @discardableResult
    mutating func takeSeat(
        _ call: String, on line: String, replacing old: String? = nil, keepsMedia: Bool = false
    ) throws -> CallView {
        try self.table.seatTaken(
            Cast.call(call), by: Cast.line(line), replacing: old.map(Cast.session), keepsMedia: keepsMedia,
            into: &self.outbox)
    }

    mutating func record(_ call: String, on line: String, since milliseconds: Int64?) throws {
        try self.table.recorded(
            Cast.call(call), by: Cast.line(line), since: milliseconds.map { WallTime(milliseconds: $0) },
            into: &self.outbox)
    }

    mutating func open(_ line: String) throws {
        try self.table.lineOpened(Cast.line(line), into: &self.outbox)
    }

    mutating func lose(_ line: String) throws {
        try self.table.lineLost(Cast.line(line), at: self.now, into: &self.outbox)
    }

    /// Moves the clock, waking the table when it asked to be woken.
    mutating func wait(_ duration: Duration) {
        let end = self.now + duration
        while let deadline = self.table.deadline, deadline <= end {
            self.now = max(self.now, deadline)
            self.table.clockAdvanced(to: self.now, into: &self.outbox)
        }
        self.now = end
    }

    /// Two who talk: `a1` rang user `b`, who answered on `b1`.
    static func talking(settings: CallSettings = CallSettings()) throws -> CallScene {
        var scene = CallScene(settings: settings)
        try scene.ring("1", from: "a1", to: "b", on: "b1")
        try scene.accept("1", on: "b1")
        scene.outbox.removeAll()
        return scene
    }
}
