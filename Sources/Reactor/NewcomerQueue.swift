/// Admission control: requests of clients that are not let in yet, first come, first served, for a part of each turn of a loop, so that clients
/// that are connected already are served in between. A request that comes when the queue is too long is answered soon, with a time to
/// come again.
///
/// Decides and measures only: times are nanoseconds of a steady clock and are passed in.
package struct NewcomerQueue<Work> {
    package struct Item {
        package let work: Work
        /// The queue was too long when it came.
        package let isLate: Bool
    }

    /// How much of one turn they may take.
    private let budget: UInt64
    /// A client that would wait for longer is told to come later.
    package var longestWait: UInt64
    private var waiting = FIFO<Work>()
    private var late = FIFO<Work>()
    private var spent: UInt64 = 0
    private var served = 0
    /// When the turn began, if the queue was not empty then.
    private var began: UInt64?
    /// The time from one to the next while the queue is not empty, smoothed.
    private var pace = Self.firstPace
    /// Until when the loop is busy with clients that were told to come later.
    private var promised: UInt64 = 0
    /// How many were served since the last late one.
    private var sinceLate = 0

    private static var firstPace: UInt64 { 200_000 }
    /// So many are served for each one that is told to come later.
    private static var regularsForOneLate: Int { 3 }
    /// How often one newcomer is served until it is in: its request, its greeting, its first wish.
    private static var visits: UInt64 { 3 }

    package init(budget: UInt64, longestWait: UInt64) {
        self.budget = budget
        self.longestWait = longestWait
    }

    package var isEmpty: Bool { self.waiting.isEmpty && self.late.isEmpty }
    package var count: Int { self.waiting.count + self.late.count }

    /// The queue is empty, and this turn has time left.
    package var takesAtOnce: Bool { self.spent < self.budget && self.isEmpty }

    /// How long one that comes now would wait.
    package var expectedWait: UInt64 { UInt64(self.waiting.count) &* self.pace }

    package mutating func append(_ work: Work) {
        if self.expectedWait > self.longestWait { self.late.append(work) } else { self.waiting.append(work) }
    }

    /// The next request; nil when the queue is empty or this turn's time is used up.
    package mutating func next() -> Item? {
        guard self.spent < self.budget else { return nil }
        let isLateOnesTurn = self.waiting.isEmpty || self.sinceLate >= Self.regularsForOneLate
        if isLateOnesTurn, let work = self.late.popFirst() {
            self.sinceLate = 0
            return Item(work: work, isLate: true)
        }
        guard let work = self.waiting.popFirst() else { return nil }
        self.sinceLate += 1
        return Item(work: work, isLate: false)
    }

    /// A request was served, from the queue or at once.
    package mutating func served(in time: UInt64) {
        self.spent &+= time
        self.served += 1
    }

    /// - Parameter clock: is not looked at in a turn without newcomers.
    package mutating func turnEnded(at clock: @autoclosure () -> UInt64) {
        if self.began != nil || !self.isEmpty { self.measure(at: clock()) }
        self.spent = 0
        self.served = 0
    }

    private mutating func measure(at now: UInt64) {
        if let began = self.began, self.served > 0 {
            let pace = (now &- began) / UInt64(self.served)
            self.pace = (self.pace &* 7 &+ pace) / 8
        }
        self.began = self.isEmpty ? nil : now
    }

    /// How long a client that is told to come later has to wait. Each is given a time of its own, as fast as they can be served.
    package mutating func waitOfNext(at now: UInt64) -> UInt64 {
        self.promised = max(self.promised, now &+ self.expectedWait) &+ self.pace &* Self.visits
        return self.promised &- now
    }
}
