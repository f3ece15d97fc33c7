internal import Calling
internal import Keeping
internal import Vocabulary

extension StoredCall {
    /// The machines count steady time; history wants to know the hour.
    init(_ record: CallRecord, now: Instant) {
        let wall = SystemClock.now()
        func hour(_ moment: Instant) -> WallTime {
            WallTime(milliseconds: wall.milliseconds - moment.duration(to: now).clampedMilliseconds)
        }
        self.init(
            id: record.id, caller: record.caller, callee: record.callee, room: nil, kind: record.kind.rawValue,
            started: hour(record.started), answered: record.answered.map(hour), ended: hour(record.ended),
            outcome: record.outcome.rawValue)
    }
}
