internal import Calling
internal import Keeping
internal import Vocabulary

/// The machines count steady time; what is kept wants to know the hour.
struct CallHours {
    private let now: Instant
    private let wall = SystemClock.now()

    /// - Parameter now: this moment, by the clock of the machines.
    init(now: Instant) { self.now = now }

    private func hour(_ moment: Instant) -> WallTime {
        WallTime(milliseconds: self.wall.milliseconds - moment.duration(to: self.now).clampedMilliseconds)
    }

    private func moment(_ hour: WallTime) -> Instant {
        self.now - .milliseconds(self.wall.milliseconds - hour.milliseconds)
    }

    func stored(_ record: CallRecord) -> StoredCall {
        StoredCall(
            id: record.id, caller: record.caller, callee: record.callee, room: nil, kind: record.kind.rawValue,
            started: self.hour(record.started), answered: record.answered.map { self.hour($0) },
            ended: self.hour(record.ended), outcome: record.outcome.rawValue)
    }

    func stored(_ call: RunningCall) -> CallUnderWay {
        CallUnderWay(
            id: call.id, caller: call.caller.user, on: call.caller.session, callee: call.callee.user,
            on: call.callee.session, kind: call.kind.rawValue, started: self.hour(call.started),
            answered: self.hour(call.answered))
    }

    func running(_ call: CallUnderWay) -> RunningCall {
        RunningCall(
            id: call.id, caller: Line(call.caller, call.callerSession), callee: Line(call.callee, call.calleeSession),
            kind: CallKind(rawValue: call.kind) ?? .audio, started: self.moment(call.started),
            answered: self.moment(call.answered))
    }
}
