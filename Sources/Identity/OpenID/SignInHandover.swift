package import Vocabulary

/// Sign-ins that ended at a provider and that the page has still to fetch: each once, and soon.
package struct SignInHandover: Sendable {
    private struct Waiting: Sendable {
        let signIn: SignIn
        let expiry: WallTime
    }

    private var waiting: [RandomToken: Waiting] = [:]
    private var order: [RandomToken] = []

    package static let lifetime = Duration.seconds(60)
    package static let maximumWaiting = 10_000

    /// The node whose name the tokens begin with; nil on a server that is alone.
    private let node: RandomToken?

    package init(on node: RandomToken? = nil) { self.node = node }

    /// What it can be fetched with. When there are too many the oldest is forgotten.
    package mutating func put(_ signIn: SignIn, at now: WallTime) -> RandomToken {
        self.forget(at: now)
        let token = self.node.map { RandomToken.drawn(taggedBy: $0) } ?? .drawn()
        self.waiting[token] = Waiting(signIn: signIn, expiry: now + Self.lifetime)
        self.order.append(token)
        return token
    }

    package mutating func take(_ token: RandomToken, at now: WallTime) -> SignIn? {
        guard let found = self.waiting.removeValue(forKey: token), now < found.expiry else { return nil }
        return found.signIn
    }

    /// They end in the order in which they came.
    private mutating func forget(at now: WallTime) {
        let ended = self.order.prefix { self.waiting[$0].map { $0.expiry <= now } ?? true }.count
        let excess = self.order.count - ended + 1 - Self.maximumWaiting
        let count = ended + max(0, excess)
        for token in self.order.prefix(count) { self.waiting[token] = nil }
        self.order.removeFirst(count)
    }
}
