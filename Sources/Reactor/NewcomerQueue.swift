/// What newcomers want, first come, first served, so much of it in one turn of a loop: those who are in already are served in
/// between. Whoever comes while too much waits is to be told to come later, and is told soon.
///
/// Decides and measures only: times are nanoseconds of a steady clock and are passed in.
package struct NewcomerQueue<Work> {
    package struct Item {
        package let work: Work
        /// It came while too much waited.
        package let isLate: Bool
    }

    /// What they may take of one turn.
    private let budget: UInt64
    /// Who would wait for longer comes later.
    package var longestWait: UInt64
    private var waiting = Line<Work>()
    private var late = Line<Work>()
    private var spent: UInt64 = 0
    private var served = 0
    /// When the turn began, if some waited then.
    private var began: UInt64?
    /// From one to the next while some wait, smoothed.
    private var pace = Self.firstPace
    /// Up to when those who were told to come later will keep the loop busy.
    private var promised: UInt64 = 0
    /// Since a late one was served.
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

    /// Nobody is before it, and this turn has time.
    package var takesAtOnce: Bool { self.spent < self.budget && self.isEmpty }

    /// How long one that comes now would wait.
    package var expectedWait: UInt64 { UInt64(self.waiting.count) &* self.pace }

    package mutating func append(_ work: Work) {
        if self.expectedWait > self.longestWait { self.late.append(work) } else { self.waiting.append(work) }
    }

    /// Who is served next. Nil when nobody waits, or this turn's time is over.
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

    /// One was served, whether it had waited or not.
    package mutating func served(in time: UInt64) {
        self.spent &+= time
        self.served += 1
    }

    package mutating func turnEnded(at now: UInt64) {
        if let began = self.began, self.served > 0 {
            let pace = (now &- began) / UInt64(self.served)
            self.pace = (self.pace &* 7 &+ pace) / 8
        }
        self.began = self.isEmpty ? nil : now
        self.spent = 0
        self.served = 0
    }

    /// When one that is told to come later may come. They come one after the other, as fast as they can be served, and not all
    /// when the first may.
    package mutating func waitOfNext(at now: UInt64) -> UInt64 {
        self.promised = max(self.promised, now &+ self.expectedWait) &+ self.pace &* Self.visits
        return self.promised &- now
    }
}

/// First in, first out.
private struct Line<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { self.head == self.elements.count }
    var count: Int { self.elements.count - self.head }

    mutating func append(_ element: Element) { self.elements.append(element) }

    mutating func popFirst() -> Element? {
        guard self.head < self.elements.count else { return nil }
        let element = self.elements[self.head].take()
        self.head += 1
        if self.head == self.elements.count {
            self.elements.removeAll(keepingCapacity: self.elements.capacity <= 4096)
            self.head = 0
        } else if self.head >= 4096, self.head * 2 >= self.elements.count {
            self.elements.removeFirst(self.head)
            self.head = 0
        }
        return element
    }
}
