package import Vocabulary

/// What has to be delivered, in lanes: within one lane in order and one at a time, beside one another in others. A lane
/// whose delivery failed waits, longer each time, and holds up no other lane.
///
/// Of each lane only the first items are held here. The others stay where they are kept, and are asked for again when
/// their turn comes; a lane that waits holds nothing.
///
///     ready ──next──▶ busy ──delivered──▶ ready; needsLoading when none of its items is held; over when none is left
///       ▲              └──failed──▶ backingOff ──time──▶ needsLoading
///       └───────────────────────────loaded───────────────────┘
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
        /// Held of one lane.
        package var maximumPerLane = 32
        package var firstWait = Duration.seconds(1)
        package var maximumWait = Duration.seconds(600)
        /// After so many attempts an item is given up, and its lane goes on without it. With these waits that is an hour.
        package var maximumAttempts = 12

        package init() {}
    }

    package enum AfterFailure: Hashable, Sendable {
        /// These are held no more; they are asked for again.
        case waits(released: [Int64])
        case givenUp
    }

    /// What to ask for of a lane: the items with this number and the next ones.
    package struct LoadRequest: Hashable, Sendable {
        package let lane: Int64
        package let from: Int64
    }

    private struct Lane {
        var items: [Item] = []
        /// The first item is under way.
        var isBusy = false
        /// The first one that is not held. So are all behind it.
        var firstUnloaded: Int64?
        /// How often the first of the firstUnloaded was tried.
        var attempts = 0

        /// False where it is asked for with what is not held.
        mutating func insert(_ item: Item, maximum: Int) -> Bool {
            if let first = self.firstUnloaded {
                if item.number >= first { return false }
                if self.items.isEmpty {
                    (self.firstUnloaded, self.attempts) = (item.number, item.attempts)
                    return false
                }
            }
            let place = self.items.lastIndex { $0.number < item.number }.map { $0 + 1 } ?? (self.isBusy ? 1 : 0)
            guard place < self.items.count || self.items.count < maximum else {
                self.firstUnloaded = item.number
                return false
            }
            self.items.insert(item, at: place)
            return true
        }
    }

    package let settings: Settings
    private var lanes: [Int64: Lane] = [:]
    /// Lanes with something to deliver now, those that came first in front.
    private var ready: [Int64] = []
    /// Lanes with something to deliver now that has to be asked for.
    private var needsLoading: [Int64] = []
    private var backingOff: [(until: Instant, lane: Int64)] = []
    private var inFlight = 0
    /// How many items are held.
    package private(set) var count = 0

    package init(_ settings: Settings = Settings()) { self.settings = settings }

    /// False for what is not held, since too much is before it in its lane. One that comes late has its place in front of larger numbers.
    package mutating func add(_ item: Item) -> Bool {
        guard var lane = self.lanes[item.lane] else {
            self.hold([item], in: Lane(), item.lane)
            return true
        }
        let isHeld = lane.insert(item, maximum: self.settings.maximumPerLane)
        self.lanes[item.lane] = lane
        if isHeld { self.count += 1 }
        return isHeld
    }

    private mutating func hold(_ items: [Item], in lane: Lane, _ number: Int64) {
        var lane = lane
        lane.items = items
        self.lanes[number] = lane
        self.ready.append(number)
        self.count += items.count
    }

    /// What is to be delivered now.
    package mutating func next(at now: Instant) -> [Item] {
        self.needsLoading += self.backingOff.filter { $0.until <= now }.map(\.lane)
        self.backingOff.removeAll { $0.until <= now }
        let free = max(0, self.settings.atOnce - self.inFlight)
        let lanes = self.ready.prefix(free)
        self.ready.removeFirst(lanes.count)
        self.inFlight += lanes.count
        return lanes.compactMap { lane in
            self.lanes[lane]?.isBusy = true
            return self.lanes[lane]?.items.first
        }
    }

    /// When a lane wakes up that waits.
    package var deadline: Instant? { self.backingOff.map(\.until).min() }

    package mutating func delivered(_ item: Item) {
        guard self.ended(item) else { return }
        self.drop(item)
    }

    /// Nil for what is not under way.
    package mutating func failed(_ item: Item, at now: Instant) -> AfterFailure? {
        guard self.ended(item) else { return nil }
        guard item.attempts + 1 < self.settings.maximumAttempts else {
            self.drop(item)
            return .givenUp
        }
        let doublings = min(item.attempts, 30)
        let wait = min(self.settings.firstWait * (1 << doublings), self.settings.maximumWait)
        self.backingOff.append((now + wait, item.lane))
        let released = self.lanes[item.lane]?.items.map(\.number) ?? []
        self.lanes[item.lane] = Lane(firstUnloaded: item.number, attempts: item.attempts + 1)
        self.count -= released.count
        return .waits(released: released)
    }

    /// False for what is not under way.
    private mutating func ended(_ item: Item) -> Bool {
        guard let lane = self.lanes[item.lane], lane.isBusy, lane.items.first?.number == item.number else {
            return false
        }
        self.inFlight -= 1
        self.lanes[item.lane]?.isBusy = false
        return true
    }

    private mutating func drop(_ item: Item) {
        self.count -= 1
        self.lanes[item.lane]?.items.removeFirst()
        guard let lane = self.lanes[item.lane] else { return }
        if !lane.items.isEmpty {
            self.ready.append(item.lane)
        } else if lane.firstUnloaded != nil {
            self.needsLoading.append(item.lane)
        } else {
            self.lanes[item.lane] = nil
        }
    }
}

// MARK: - What is not held

extension DeliveryQueue {
    /// What is to be asked for now; answer with `loaded`, or with `notLoaded`.
    package mutating func nextLoad() -> LoadRequest? {
        guard let lane = self.needsLoading.first, let firstUnloaded = self.lanes[lane]?.firstUnloaded else {
            return nil
        }
        self.needsLoading.removeFirst()
        return LoadRequest(lane: lane, from: firstUnloaded)
    }

    /// - Parameter items: the first `maximumPerLane` at most, of all that were ever offered by `add`.
    package mutating func loaded(_ items: [Item], for request: LoadRequest) {
        guard var lane = self.lanes[request.lane], lane.items.isEmpty else { return }
        var items = items
        if items.first?.number == request.from { items[0].attempts = max(items[0].attempts, lane.attempts) }
        lane.attempts = 0
        lane.firstUnloaded = items.count < self.settings.maximumPerLane ? nil : items.last.map { $0.number + 1 }
        guard !items.isEmpty else { return self.lanes[request.lane] = nil }
        self.hold(items, in: lane, request.lane)
    }

    /// It is asked for again.
    package mutating func notLoaded(_ request: LoadRequest) { self.needsLoading.append(request.lane) }
}
