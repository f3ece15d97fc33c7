/// How far one app got in one conversation: what was taken from the store for it, what it was told, what it has answered.
/// Between what was taken and the newest there may be a gap, which is read from the store before anything newer is told.
struct FLPlace {
    /// Everything up to here was taken.
    private(set) var taken: UInt64
    /// The furthest that we have heard of.
    private(set) var newest: UInt64
    /// Told and not answered, in order.
    private var open: [UInt64] = []
    /// Everything up to here was told, or is nothing to be told.
    private var passed: UInt64 = 0
    private var marked: UInt64 = 0

    /// A client that acknowledges nothing is told no more.
    private static let maximumOpen = 500
    /// The next portion is for a client that has acknowledged the one before, give or take a few.
    private static let fewOpen = 8

    init(taken: UInt64, newest: UInt64) {
        self.taken = taken
        self.newest = newest
    }

    var isBehind: Bool { self.taken < self.newest }
    var mayTakeMore: Bool { self.isBehind && self.open.count < Self.fewOpen }
    /// An answer is missing.
    var isOpen: Bool { !self.open.isEmpty }

    /// Something happened. False when it is not to be told now, but read from the store in its turn.
    mutating func came(_ number: UInt64) -> Bool {
        guard number > self.taken else { return false }
        // Nothing is left out of what comes, unless a member left and came back: what was said meanwhile is not for them.
        let isNext = !self.isBehind && self.open.count < Self.maximumOpen
        self.newest = max(self.newest, number)
        if isNext { self.taken = number }
        return isNext
    }

    /// A portion was read.
    /// - Parameter asked: the newest when it was asked for: with nothing in between there is no gap any more.
    mutating func took(upTo last: UInt64?, asked: UInt64) {
        if let last { self.taken = max(self.taken, last) } else { self.taken = max(self.taken, asked) }
        self.newest = max(self.newest, self.taken)
    }

    mutating func told(_ number: UInt64) {
        self.open.append(number)
        self.passed = max(self.passed, number)
    }

    mutating func answered(_ number: UInt64) { self.open.removeAll { $0 == number } }

    /// Needs no answer.
    mutating func skipped(_ number: UInt64) { self.passed = max(self.passed, number) }

    /// How far the app has got for good, when that is further than before.
    mutating func mark() -> UInt64? {
        let done = self.open.first.map { $0 - 1 } ?? self.passed
        guard done > self.marked else { return nil }
        self.marked = done
        return done
    }
}
