internal import Journal
internal import Vocabulary

/// What the wall clock says.
enum SystemClock {
    static func now() -> WallTime {
        let time = LogTime.now()
        return WallTime(milliseconds: time.secondsSince1970 * 1000 + time.milliseconds)
    }
}
