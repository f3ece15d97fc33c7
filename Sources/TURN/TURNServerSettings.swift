package import Vocabulary

/// What a TURN server grants.
package struct TURNServerSettings: Sendable {
    /// What clients' passwords are made from (`TURNCredentials`).
    package var secrets: [[UInt8]] = []
    package var realm = "parley"
    package var peers = AddressPolicy()
    /// Allocations of one user, of one client prefix (an IPv4 address or an IPv6 /64), and in all.
    package var allocationsPerUser = 64
    package var allocationsPerPrefix = 512
    package var maximumAllocations = 8192
    /// Allocations for one seat in a room or a call, of those of its user.
    package var allocationsPerSeat = 16
    /// Peers that one allocation may send to at a time.
    package var peersPerAllocation = 128
    /// Connections with peers that one allocation has at a time (RFC 6062).
    package var connectionsPerAllocation = 64
    /// Bytes a second that one user's allocations carry, both ways together, and so much more at once.
    package var bytesPerSecondPerUser = 2_000_000
    /// What those for one seat carry, of that: so its user has as much left for another.
    package var bytesPerSecondPerSeat: Int { self.bytesPerSecondPerUser / 2 }
    /// Answers per second to one client prefix before it has shown who it is.
    package var unauthenticatedPerSecond = 500

    /// RFC 8656 §3.2 and §9.
    package static let usualLifetime = Duration.seconds(600)
    package static let maximumLifetime = Duration.seconds(3600)
    package static let permissionLifetime = Duration.seconds(300)
    package static let channelLifetime = Duration.seconds(600)
    /// RFC 8656 §7.2 wants at least 30 s.
    package static let reservationLifetime = Duration.seconds(30)
    /// RFC 6062 §5.3: how long a connection with a peer waits for its client.
    package static let connectionTimeout = Duration.seconds(30)
    package static let nonceLifetime = Duration.seconds(3600)
    /// How long a seat that is free again is refused: its credentials have ended then.
    package static let endedSeatMemory = Duration.seconds(660)

    package init() {}
}
