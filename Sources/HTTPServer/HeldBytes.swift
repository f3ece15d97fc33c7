package import Pacing
package import System
package import Vocabulary

/// What is held in memory for one client: the half of a message, an answer that it does not read. All claims of a server
/// share one budget, so that little that is sent cannot make much that is kept.
package final class HeldBytes {
    package typealias Budget = Locked<PrefixBudget>

    private let budget: Budget
    private let address: IPAddress
    private var count = 0

    package init(_ budget: Budget, for address: IPAddress) {
        self.budget = budget
        self.address = address
    }

    /// From now on it is so many. False when there is no room for them; then nothing changes, and they have to be dropped.
    package func hold(_ count: Int) -> Bool {
        let more = count - self.count
        guard more != 0 else { return true }
        if more < 0 {
            self.budget.withLock { $0.giveBack(-more, for: self.address) }
        } else if !self.budget.withLock({ $0.take(more, for: self.address) }) {
            return false
        }
        self.count = count
        return true
    }

    deinit { if self.count > 0 { self.budget.withLock { $0.giveBack(self.count, for: self.address) } } }
}
