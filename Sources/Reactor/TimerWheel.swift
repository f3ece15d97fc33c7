/// A timer that may still be cancelled. It stays harmless after the timer fired.
package struct TimerToken: Hashable, Sendable {
    let index: UInt32
    let generation: UInt32
}

/// Timers by the hundred thousand: starting, cancelling and firing one costs the same however many there are.
///
/// Six wheels of 64 slots, each slot 64 times as wide as on the wheel below (1 ms, 64 ms, 4 s, …). A timer
/// waits on the widest wheel whose slot still tells it from now and moves down as its time comes near.
/// A bit per slot says where anything waits, so finding the next deadline looks at six words.
package struct TimerWheel<Payload> {
    /// Milliseconds since any fixed moment.
    package typealias Tick = UInt64

    private static var slotsPerLevel: Int { 64 }
    private static var levels: Int { 6 }
    /// A year. Half a turn of the widest wheel, so that a slot is never both now and a turn away.
    private static var farthest: Tick { 1 << 35 }
    /// The list of timers whose time has come lies behind the last slot.
    private static var dueSlot: Int { levels * slotsPerLevel }

    private struct Entry {
        var deadline: Tick
        var payload: Payload?
        var previous: Int32
        var next: Int32
        var slot: Int32
        var generation: UInt32
    }

    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
    }

    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var lists = [List](repeating: List(), count: TimerWheel.dueSlot + 1)
    private var occupied = [UInt64](repeating: 0, count: TimerWheel.levels)
    private var elapsed: Tick

    package private(set) var count = 0

    package init(startingAt now: Tick) {
        self.elapsed = now
    }

    /// A deadline that has passed already fires at the next tick, never within the call.
    package mutating func start(at deadline: Tick, _ payload: Payload) -> TimerToken {
        let index = self.takeEntry()
        self.entries[Int(index)].deadline = min(max(deadline, self.elapsed + 1), self.elapsed + Self.farthest)
        self.entries[Int(index)].payload = payload
        self.append(index, to: self.slot(for: self.entries[Int(index)].deadline))
        self.count += 1
        return TimerToken(index: UInt32(index), generation: self.entries[Int(index)].generation)
    }

    /// Hands the payload back, or nil when the timer fired or was cancelled before.
    @discardableResult
    package mutating func cancel(_ token: TimerToken) -> Payload? {
        guard token.index < self.entries.count else { return nil }
        guard self.entries[Int(token.index)].generation == token.generation else { return nil }
        let index = Int32(token.index)
        self.unlink(index)
        return self.release(index)
    }

    /// The tick at which to look again. At times a little early, when a far timer only has to move down.
    package var nextDeadline: Tick? {
        if self.lists[Self.dueSlot].first >= 0 { return self.elapsed }
        return self.nextSlot.map(\.deadline)
    }

    /// The next timer whose time has come, earliest first; call until it answers nil.
    package mutating func popDue(at now: Tick) -> Payload? {
        while true {
            if let due = self.popFront(of: Self.dueSlot) { return self.release(due) }
            guard let next = self.nextSlot, next.deadline <= now else {
                self.elapsed = max(self.elapsed, now)
                return nil
            }
            self.elapsed = next.deadline
            self.moveDown(from: next.slot)
        }
    }

    private mutating func moveDown(from slot: Int) {
        while let index = self.popFront(of: slot) {
            let deadline = self.entries[Int(index)].deadline
            self.append(index, to: deadline <= self.elapsed ? Self.dueSlot : self.slot(for: deadline))
        }
    }

    private func slot(for deadline: Tick) -> Int {
        let level = self.level(for: deadline)
        return level * Self.slotsPerLevel + Int(truncatingIfNeeded: deadline >> UInt64(6 * level) & 63)
    }

    /// The highest group of six bits in which the deadline differs from now.
    private func level(for deadline: Tick) -> Int {
        let difference = (deadline ^ self.elapsed) | 63
        return min((63 - difference.leadingZeroBitCount) / 6, Self.levels - 1)
    }

    private var nextSlot: (slot: Int, deadline: Tick)? {
        for level in 0..<Self.levels where self.occupied[level] != 0 {
            let width = UInt64(6 * level)
            let current = Int(truncatingIfNeeded: self.elapsed >> width & 63)
            let ahead = self.occupied[level].rotatedRight(by: current).trailingZeroBitCount
            let deadline = (self.elapsed >> width + UInt64(ahead)) << width
            return (level * Self.slotsPerLevel + ((current + ahead) & 63), max(deadline, self.elapsed))
        }
        return nil
    }
}

extension TimerWheel {
    private mutating func takeEntry() -> Int32 {
        if let index = self.free.popLast() { return index }
        self.entries.append(Entry(deadline: 0, payload: nil, previous: -1, next: -1, slot: -1, generation: 0))
        return Int32(self.entries.count - 1)
    }

    private mutating func release(_ index: Int32) -> Payload? {
        let payload = self.entries[Int(index)].payload.take()
        self.entries[Int(index)].generation &+= 1
        self.free.append(index)
        self.count -= 1
        return payload
    }

    private mutating func append(_ index: Int32, to slot: Int) {
        let last = self.lists[slot].last
        self.entries[Int(index)].slot = Int32(slot)
        self.entries[Int(index)].previous = last
        self.entries[Int(index)].next = -1
        if last >= 0 { self.entries[Int(last)].next = index } else { self.lists[slot].first = index }
        self.lists[slot].last = index
        if slot != Self.dueSlot { self.occupied[slot >> 6] |= 1 << UInt64(slot & 63) }
    }

    private mutating func popFront(of slot: Int) -> Int32? {
        let first = self.lists[slot].first
        guard first >= 0 else { return nil }
        self.unlink(first)
        return first
    }

    private mutating func unlink(_ index: Int32) {
        let entry = self.entries[Int(index)]
        let slot = Int(entry.slot)
        if entry.previous >= 0 {
            self.entries[Int(entry.previous)].next = entry.next
        } else {
            self.lists[slot].first = entry.next
        }
        if entry.next >= 0 {
            self.entries[Int(entry.next)].previous = entry.previous
        } else {
            self.lists[slot].last = entry.previous
        }
        if slot != Self.dueSlot, self.lists[slot].first < 0 { self.occupied[slot >> 6] &= ~(1 << UInt64(slot & 63)) }
    }
}

extension UInt64 {
    fileprivate func rotatedRight(by distance: Int) -> UInt64 {
        self &>> UInt64(distance) | self &<< UInt64((64 - distance) & 63)
    }
}
