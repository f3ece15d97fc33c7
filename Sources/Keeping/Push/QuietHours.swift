package import Vocabulary

/// The hours of each day in which a device makes no sound, by its own clock.
package struct QuietHours: Hashable, Sendable {
    /// Minutes of the day. From a later one to an earlier one is a night.
    package let start: Int
    package let end: Int
    /// Minutes that the device's clock is ahead of UTC.
    package let offset: Int
    package let letsCallsThrough: Bool

    private static let minutesOfDay = 1440
    private static let offsets = -720...840

    package init?(from start: Int, to end: Int, offset: Int, letsCallsThrough: Bool) {
        let minutes = 0..<Self.minutesOfDay
        guard minutes.contains(start), minutes.contains(end), start != end, Self.offsets.contains(offset) else {
            return nil
        }
        self.start = start
        self.end = end
        self.offset = offset
        self.letsCallsThrough = letsCallsThrough
    }

    package func contains(_ time: WallTime) -> Bool {
        let day = Int64(Self.minutesOfDay)
        let here = time.milliseconds / 60_000 % day + Int64(self.offset)
        let minute = Int((here % day + day) % day)
        return self.start < self.end
            ? (self.start..<self.end).contains(minute) : minute >= self.start || minute < self.end
    }
}
