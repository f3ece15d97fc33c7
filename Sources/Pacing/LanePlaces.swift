/// How far each lane has come whose items have places without gaps: 1, 2, 3 and so on. So it is seen when one comes whose predecessor has not.
package struct LanePlaces: Sendable {
    package typealias Place = (lane: Int64, place: UInt64)

    private var last: [Int64: UInt64] = [:]
    /// Beyond so many lanes all are forgotten: what comes then counts as without its predecessor once.
    package static let maximum = 10_000

    package init() {}

    /// Whether something before one of these was not seen.
    package func areBroken(by places: [Place]) -> Bool {
        var last: [Int64: UInt64] = [:]
        for (lane, place) in places {
            let before = last[lane] ?? self.last[lane] ?? 0
            if place > before + 1 { return true }
            last[lane] = max(before, place)
        }
        return false
    }

    package mutating func saw(_ places: [Place]) {
        if self.last.count + places.count > Self.maximum { self.last = [:] }
        for (lane, place) in places { self.last[lane] = max(self.last[lane] ?? 0, place) }
    }
}
