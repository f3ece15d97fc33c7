package import Pacing

/// How often a client may try what. `docs/identity.md` has the table.
package struct AttemptLimits: Hashable, Sendable {
    /// Wrong passwords for one account from one client prefix, and from one site of many. What others guess elsewhere makes
    /// nobody wait, so nobody can lock another out; how much can be guessed from everywhere is bounded by the hashing.
    package var account = AttemptLimiter<String>.Policy(free: 5, maximumDelay: .seconds(60))
    package var accountFromSite = AttemptLimiter<String>.Policy(free: 20, maximumDelay: .seconds(60))
    /// Wrong passwords, refresh tokens and application secrets from one client prefix.
    package var address = AttemptLimiter<String>.Policy(free: 20, maximumDelay: .seconds(900))
    /// The same from all client prefixes of one site.
    package var site = AttemptLimiter<String>.Policy(free: 200, maximumDelay: .seconds(900))
    /// New accounts, anonymous or not, from one client prefix.
    package var creation = AttemptLimiter<String>.Policy(free: 30, maximumDelay: .seconds(300))

    package init() {}
}
