/// What people call the time: milliseconds since 1970, as clients print it. It may jump; never measure with it.
package struct WallTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}
