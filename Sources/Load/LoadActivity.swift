internal import Client
internal import Vocabulary

/// One thing that the users of a run do.
protocol LoadActivity: AnyObject {
    /// All are there.
    func begin(at now: Instant)
    /// Every few milliseconds, until the time is over.
    func ticked(at now: Instant)
    func heard(_ event: ParleyEvent, by user: LoadUser)
    /// A session was given up on purpose.
    func gone(_ user: LoadUser)
    /// The time is over: nothing new is begun.
    func stop()
    /// Nothing is on its way any more.
    var isSettled: Bool { get }
    /// What is not settled will not be.
    func end()
}

/// How often something is due that happens so many times in a second.
struct LoadPace {
    private let perSecond: Double
    private var owed = 0.0
    private var last: Instant?

    init(perSecond: Double) { self.perSecond = perSecond }

    /// Since the last time it was asked. What a busy moment kept from happening is made up for, and is not forgotten.
    mutating func due(at now: Instant) -> Int {
        defer { self.last = now }
        guard let last = self.last else { return 0 }
        self.owed += self.perSecond * (last.duration(to: now) / .seconds(1))
        let whole = Int(self.owed)
        self.owed -= Double(whole)
        return whole
    }
}

extension LoadActivity {
    func gone(_ user: LoadUser) {}
}
