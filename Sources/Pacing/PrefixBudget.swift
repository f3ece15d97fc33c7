package import Vocabulary

/// So much of something for each client prefix, and so much for all together: bytes that are held for clients.
package struct PrefixBudget: Sendable {
    package struct Limits: Hashable, Sendable {
        package var ofPrefix: Int
        package var total: Int

        package init(ofPrefix: Int, total: Int) {
            self.ofPrefix = ofPrefix
            self.total = total
        }
    }

    package let limits: Limits
    private var used: [IPAddress: Int] = [:]
    package private(set) var total = 0

    package init(_ limits: Limits) { self.limits = limits }

    package func used(by address: IPAddress) -> Int { self.used[address.clientPrefix] ?? 0 }

    /// False when there is no room for so many more; nothing is taken then.
    ///
    /// When all together have nearly everything, those who have little still get it: a share is safe.
    package mutating func take(_ count: Int, for address: IPAddress) -> Bool {
        let own = self.used(by: address) + count
        guard own <= self.limits.ofPrefix, self.total + count <= self.limits.total || own <= Self.safeShare else {
            return false
        }
        self.set(own, address)
        self.total += count
        return true
    }

    /// What every prefix may have, however much the others have.
    private static let safeShare = 64 << 10

    package mutating func giveBack(_ count: Int, for address: IPAddress) {
        self.set(self.used(by: address) - count, address)
        self.total -= count
    }

    private mutating func set(_ count: Int, _ address: IPAddress) {
        self.used[address.clientPrefix] = count > 0 ? count : nil
    }
}
