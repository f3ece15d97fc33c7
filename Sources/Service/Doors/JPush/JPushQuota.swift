internal import Vocabulary

/// How many requests each app key has left in this minute.
struct JPushQuota {
    struct Left: Hashable {
        let quota: Int
        let remaining: Int
        /// In seconds.
        let reset: Int64
        let isOver: Bool
    }

    private struct Minute {
        let start: Instant
        var used = 0
    }

    private let quota: Int
    private var minutes: [String: Minute] = [:]
    private static let length = Duration.seconds(60)

    init(_ quota: Int) { self.quota = quota }

    mutating func take(_ key: String, at now: Instant) -> Left {
        var minute = self.minutes[key] ?? Minute(start: now)
        if minute.start.duration(to: now) >= Self.length { minute = Minute(start: now) }
        let isOver = minute.used >= self.quota
        if !isOver { minute.used += 1 }
        self.minutes[key] = minute
        let reset = (Self.length - minute.start.duration(to: now)).components.seconds
        return Left(
            quota: self.quota, remaining: self.quota - minute.used, reset: max(1, reset), isOver: isOver)
    }
}
