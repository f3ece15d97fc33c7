package import Vocabulary

/// What has to be delivered, in lanes: within one lane in order and one at a time, beside one another in others. A lane
/// whose delivery failed waits, longer each time, and holds up nobody else.
package struct DeliveryQueue: Sendable {
    package struct Item: Hashable, Sendable {
        package let number: Int64
        package let lane: Int64
        package var attempts: Int

        package init(_ number: Int64, lane: Int64, attempts: Int = 0) {
            self.number = number
            self.lane = lane
            self.attempts = attempts
        }
    }

    package struct Settings: Hashable, Sendable {
        package var atOnce = 8
        package var firstWait = Duration.seconds(1)
        package var longestWait = Duration.seconds(600)
        /// After so many attempts an item is given up, and its lane goes on without it. With these waits that is an hour.
        package var mostAttempts = 12

        package init() {}
    }

    package enum AfterFailure: Hashable, Sendable { case waits, givenUp }

    private struct Lane {
        var items: [Item] = []
        /// The first item is under way.
        var isBusy = false
    }

    private let settings: Settings
    private var lanes: [Int64: Lane] = [:]
    /// Lanes with something to deliver now, those that came first in front.
    private var ready: [Int64] = []
    private var asleep: [(until: Instant, lane: Int64)] = []
    private var underWay = 0
    package private(set) var count = 0

    package init(_ settings: Settings = Settings()) { self.settings = settings }

    package mutating func add(_ item: Item) {
        self.count += 1
        let isNew = self.lanes[item.lane] == nil
        self.lanes[item.lane, default: Lane()].items.append(item)
        if isNew { self.ready.append(item.lane) }
    }

    /// What is to be delivered now.
    package mutating func next(at now: Instant) -> [Item] {
        self.ready += self.asleep.filter { $0.until <= now }.map(\.lane)
        self.asleep.removeAll { $0.until <= now }
        let free = max(0, self.settings.atOnce - self.underWay)
        let lanes = self.ready.prefix(free)
        self.ready.removeFirst(lanes.count)
        self.underWay += lanes.count
        return lanes.compactMap { lane in
            self.lanes[lane]?.isBusy = true
            return self.lanes[lane]?.items.first
        }
    }

    /// When a lane wakes up that waits.
    package var deadline: Instant? { self.asleep.map(\.until).min() }

    package mutating func delivered(_ item: Item) {
        guard self.ended(item) else { return }
        self.drop(item)
    }

    package mutating func failed(_ item: Item, at now: Instant) -> AfterFailure {
        guard self.ended(item) else { return .givenUp }
        guard item.attempts + 1 < self.settings.mostAttempts else {
            self.drop(item)
            return .givenUp
        }
        self.lanes[item.lane]?.items[0].attempts += 1
        let doublings = min(item.attempts, 30)
        let wait = min(self.settings.firstWait * (1 << doublings), self.settings.longestWait)
        self.asleep.append((now + wait, item.lane))
        return .waits
    }

    /// False for what is not under way.
    private mutating func ended(_ item: Item) -> Bool {
        guard let lane = self.lanes[item.lane], lane.isBusy, lane.items.first?.number == item.number else {
            return false
        }
        self.underWay -= 1
        self.lanes[item.lane]?.isBusy = false
        return true
    }

    private mutating func drop(_ item: Item) {
        self.count -= 1
        self.lanes[item.lane]?.items.removeFirst()
        if self.lanes[item.lane]?.items.isEmpty ?? true {
            self.lanes[item.lane] = nil
        } else {
            self.ready.append(item.lane)
        }
    }
}
