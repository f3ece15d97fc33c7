internal import Conversing
internal import Vocabulary

/// Lets the others in a conversation hear no more often than once a second how far somebody got, beside the first two times: what lies in
/// between is in the last word.
///
///     free ──receipt──▶ told … ──too many──▶ waiting ──its second is over──▶ told
struct ReceiptPacer {
    struct Place: Hashable {
        let user: UserID
        let conversation: ConversationID
    }

    enum Verdict: Hashable {
        case now
        /// Ask again then; what comes meanwhile takes the place of what waits.
        case later(Duration)
        /// One waits already.
        case waiting
    }

    /// When what was told is paid for: a second for each.
    private var paid: [Place: Instant] = [:]
    private var waiting: Set<Place> = []

    static let interval = Duration.seconds(1)
    /// So many are told at once where it was quiet: what was delivered is often read at once.
    static let burst = 2
    /// More places are looked through for those that are over.
    private static let maximumPlaces = 10_000

    init() {}

    mutating func take(_ place: Place, at now: Instant) -> Verdict {
        guard !self.waiting.contains(place) else { return .waiting }
        let wait = self.wait(place, at: now)
        guard wait > .zero else {
            self.pay(place, at: now)
            return .now
        }
        self.waiting.insert(place)
        return .later(wait)
    }

    /// What waited is told.
    mutating func told(_ place: Place, at now: Instant) {
        self.waiting.remove(place)
        self.pay(place, at: now)
    }

    private func wait(_ place: Place, at now: Instant) -> Duration {
        guard let paid = self.paid[place] else { return .zero }
        return now.duration(to: paid) - Self.interval * (Self.burst - 1)
    }

    private mutating func pay(_ place: Place, at now: Instant) {
        if self.paid.count >= Self.maximumPlaces { self.paid = self.paid.filter { $0.value > now } }
        self.paid[place] = max(self.paid[place] ?? now, now).advanced(by: Self.interval)
    }
}
