internal import Identity
internal import Vocabulary

/// What the wall clock says.
enum SystemClock {
    static func now() -> WallTime { Timekeeper.system.wall() }
}
