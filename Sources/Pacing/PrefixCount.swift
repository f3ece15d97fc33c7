package import Vocabulary

/// How much of something each client prefix has at the moment: connections, sessions.
package struct PrefixCount: Sendable {
    private var counts: [IPAddress: Int] = [:]

    package init() {}

    package func has(_ address: IPAddress) -> Int { self.counts[address.clientPrefix] ?? 0 }

    /// One more, if there are fewer than `limit`.
    package mutating func add(_ address: IPAddress, atMost limit: Int) -> Bool {
        let count = self.has(address)
        guard count < limit else { return false }
        self.counts[address.clientPrefix] = count + 1
        return true
    }

    /// One fewer of those that were added.
    package mutating func remove(_ address: IPAddress) {
        guard let count = self.counts[address.clientPrefix] else { return }
        self.counts[address.clientPrefix] = count > 1 ? count - 1 : nil
    }
}
