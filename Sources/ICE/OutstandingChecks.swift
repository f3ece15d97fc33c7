internal import Vocabulary

/// Checks of ours that are not answered, the oldest first.
struct OutstandingChecks: Sendable {
    struct Check: Sendable {
        let transaction: UInt64
        let pair: Int
        let sentAt: Instant
        let role: ICERole
        let nominates: Bool
        let nomination: UInt32
    }

    private var checks: [Check] = []
    private static let maximum = 256

    /// Answers that come later than a pair's timeout are not waited for.
    mutating func append(_ check: Check, timeout: Duration) {
        let tooOld = check.sentAt - timeout
        if let first = self.checks.first, first.sentAt < tooOld || self.checks.count >= Self.maximum {
            let stale = self.checks.firstIndex { $0.sentAt >= tooOld } ?? self.checks.count
            self.checks.removeFirst(max(stale, 1))
        }
        self.checks.append(check)
    }

    func index(of transaction: UInt64) -> Int? { self.checks.lastIndex { $0.transaction == transaction } }

    mutating func remove(at index: Int) -> Check { self.checks.remove(at: index) }

    mutating func removeAll(of pair: Int) {
        self.checks.removeAll { $0.pair == pair }
    }
}
