package import Vocabulary

/// Pushes on their way to devices that sleep: one at a time to each device, a bounded number at once to all of them. A later
/// push about the same topic takes the place of one that still waits. A device whose push failed rests, longer each time.
///
///     ready ──next──▶ busy ──sent──▶ ready, or gone when nothing waits
///       ▲              └───failed──▶ resting
///       └───────────time─────────────┘
package struct PushQueue<Device: Hashable & Sendable, Push: Sendable>: Sendable {
    package struct Item: Sendable {
        package let device: Device
        package let topic: String
        package let expiry: Instant
        package let push: Push
        /// Goes before those that are not.
        package let isUrgent: Bool

        package init(_ push: Push, to device: Device, topic: String, expiry: Instant, isUrgent: Bool = false) {
            self.isUrgent = isUrgent
            self.device = device
            self.topic = topic
            self.expiry = expiry
            self.push = push
        }
    }

    package struct Settings: Hashable, Sendable {
        package var maximumAtOnce = 32
        package var firstWait = Duration.seconds(1)
        package var maximumWait = Duration.seconds(600)

        package init() {}
    }

    private struct Lane {
        var waiting: [Item] = []
        var busy: Item?
        var failures = 0
        var isResting = false
    }

    private let settings: Settings
    private var lanes: [Device: Lane] = [:]
    /// First come, first served. A device is in here once at most.
    private var line: [Device] = []
    private var head = 0
    /// By the second in which they wake, so that the next one is found among few.
    private var resting: [Int64: [Device]] = [:]
    private var underWay = 0
    /// How many wait or are under way.
    package private(set) var count = 0

    package init(_ settings: Settings = Settings()) { self.settings = settings }

    /// Answers the push whose place it takes.
    package mutating func add(_ item: Item) -> Push? {
        var lane = self.lanes[item.device] ?? Lane()
        defer { self.lanes[item.device] = lane }
        if let index = lane.waiting.firstIndex(where: { $0.topic == item.topic }) {
            let old = lane.waiting[index].push
            lane.waiting[index] = item
            return old
        }
        self.count += 1
        lane.waiting.insert(item, at: item.isUrgent ? 0 : lane.waiting.count)
        guard lane.busy == nil, !lane.isResting else { return nil }
        // A device may stand here twice; then its second turn comes to nothing.
        if item.isUrgent {
            self.line.insert(item.device, at: self.head)
        } else if lane.waiting.count == 1 {
            self.line.append(item.device)
        }
        return nil
    }

    /// What is to be sent now, and what came too late.
    package mutating func next(at now: Instant) -> (items: [Item], expired: [Push]) {
        self.wake(at: now)
        var (items, expired) = ([Item](), [Push]())
        while self.underWay < self.settings.maximumAtOnce, let device = self.popReady() {
            guard var lane = self.lanes[device], lane.busy == nil, !lane.isResting else { continue }
            while lane.busy == nil, !lane.waiting.isEmpty {
                let item = lane.waiting.removeFirst()
                if item.expiry > now { lane.busy = item } else { expired.append(item.push) }
            }
            self.lanes[device] = lane.busy == nil ? nil : lane
            guard let item = lane.busy else { continue }
            self.underWay += 1
            items.append(item)
        }
        self.count -= expired.count
        return (items, expired)
    }

    /// It was taken, or will never be.
    package mutating func ended(_ device: Device) {
        guard var lane = self.lanes[device], lane.busy != nil else { return }
        (lane.busy, lane.failures) = (nil, 0)
        self.underWay -= 1
        self.count -= 1
        self.lanes[device] = lane.waiting.isEmpty ? nil : lane
        if !lane.waiting.isEmpty { self.line.append(device) }
    }

    /// It is tried again later, unless a newer one about the same topic has come. Then that one's push is done with, and
    /// is the answer.
    ///
    /// - Parameter firstWait: from where waits grow, for a service that wants longer ones.
    package mutating func failed(
        _ device: Device, retryAfter: Duration?, firstWait: Duration? = nil, at now: Instant
    ) -> Push? {
        guard var lane = self.lanes[device], let item = lane.busy else { return nil }
        lane.busy = nil
        self.underWay -= 1
        let isReplaced = lane.waiting.contains { $0.topic == item.topic }
        if isReplaced { self.count -= 1 } else { lane.waiting.insert(item, at: 0) }
        lane.isResting = true
        let wait = retryAfter ?? self.wait(after: lane.failures, from: firstWait ?? self.settings.firstWait)
        lane.failures += 1
        self.lanes[device] = lane
        let second = Self.second(of: now.advanced(by: min(wait, self.settings.maximumWait))) + 1
        self.resting[second, default: []].append(device)
        return isReplaced ? item.push : nil
    }

    /// Nothing about this topic need be sent to a device any more; answers the push that waited.
    package mutating func remove(_ topic: String, of device: Device) -> Push? {
        guard var lane = self.lanes[device], let index = lane.waiting.firstIndex(where: { $0.topic == topic }) else {
            return nil
        }
        let item = lane.waiting.remove(at: index)
        self.count -= 1
        self.lanes[device] = lane
        return item.push
    }

    /// When somebody who rests is to be tried again.
    package var deadline: Instant? {
        self.resting.keys.min().map { Instant(milliseconds: $0 * 1000) }
    }

    private func wait(after failures: Int, from first: Duration) -> Duration {
        min(first * (1 << min(failures, 20)), self.settings.maximumWait)
    }

    private static func second(of moment: Instant) -> Int64 { moment.nanoseconds / 1_000_000_000 }

    private mutating func wake(at now: Instant) {
        for second in self.resting.keys.filter({ $0 <= Self.second(of: now) }).sorted() {
            for device in self.resting.removeValue(forKey: second) ?? [] {
                self.lanes[device]?.isResting = false
                self.line.append(device)
            }
        }
    }

    /// How many devices are in line, at least; those that rest are not.
    package var ready: Int { self.line.count - self.head }

    private mutating func popReady() -> Device? {
        guard self.head < self.line.count else { return nil }
        let device = self.line[self.head]
        self.head += 1
        if self.head > 1000, self.head * 2 > self.line.count {
            self.line.removeFirst(self.head)
            self.head = 0
        }
        return device
    }
}
