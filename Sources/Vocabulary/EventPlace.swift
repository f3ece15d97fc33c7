/// Where an event stands in the order of all that happen on the nodes of one service: the same on each of them, so that whichever writes it down
/// can tell whether that was done.
package struct EventPlace: Hashable, Sendable {
    /// A new one begins whenever a node may have missed events of the one before.
    package let series: RandomToken
    package let number: UInt64

    package init(_ series: RandomToken, _ number: UInt64) {
        self.series = series
        self.number = number
    }

    /// In front of the first one of a new series.
    package static func start() -> EventPlace {
        var random = SystemRandomNumberGenerator()
        return EventPlace(RandomToken(using: &random), 0)
    }

    package var next: EventPlace { EventPlace(self.series, self.number + 1) }
}
