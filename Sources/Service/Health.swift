internal import Journal
internal import System

/// Whether the service lives, and whether it should be given work.
///
/// Living never depends on anybody else: a service that is cut off from a dependency must not be killed for it.
package final class Health: Sendable {
    private let reasons = Locked<[String]>(["the service is starting"])
    private let conditions = Locked<[@Sendable () -> String?]>([])

    package init() {}

    /// Why the service should not be given work now; empty when it should.
    package var whyNotReady: [String] {
        self.reasons.withLock { $0 } + self.conditions.withLock { $0 }.compactMap { $0() }
    }

    /// Asked whenever somebody wants to know: says why not, or nothing.
    func require(_ condition: @escaping @Sendable () -> String?) { self.conditions.withLock { $0.append(condition) } }

    func started() { self.reasons.withLock { $0 = [] } }
    func stopping() { self.reasons.withLock { $0 = ["the service is shutting down"] } }
}
