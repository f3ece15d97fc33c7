package import Vocabulary

/// How much of something each household has at the moment: connections, sessions.
package struct HouseholdCount: Sendable {
    private var counts: [IPAddress: Int] = [:]

    package init() {}

    package func has(_ address: IPAddress) -> Int { self.counts[address.household] ?? 0 }

    /// One more, if there are fewer than `limit`.
    package mutating func add(_ address: IPAddress, atMost limit: Int) -> Bool {
        let count = self.has(address)
        guard count < limit else { return false }
        self.counts[address.household] = count + 1
        return true
    }

    /// One fewer of those that were added.
    package mutating func remove(_ address: IPAddress) {
        guard let count = self.counts[address.household] else { return }
        self.counts[address.household] = count > 1 ? count - 1 : nil
    }
}
