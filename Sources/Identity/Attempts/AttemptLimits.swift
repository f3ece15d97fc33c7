package import Pacing

/// How often a client may try what. `docs/identity.md` has the table.
package struct AttemptLimits: Hashable, Sendable {
    /// Wrong passwords for one account, wherever they come from. Short waits, so that no client can lock out another.
    package var account = AttemptLimiter<String>.Policy(free: 5, maximumDelay: .seconds(60))
    /// Wrong passwords, refresh tokens and application secrets from one client prefix.
    package var address = AttemptLimiter<String>.Policy(free: 20, maximumDelay: .seconds(900))
    /// New accounts, anonymous or not, from one client prefix.
    package var creation = AttemptLimiter<String>.Policy(free: 30, maximumDelay: .seconds(300))

    package init() {}
}
