package import Vocabulary

/// How an agent goes about its work.
package struct ICESettings: Sendable {
    /// Which candidates may be told and used (`RTCIceTransportPolicy`).
    package enum Policy: Hashable, Sendable {
        case all
        /// Only the relay learns our addresses.
        case relay
    }

    package var policy = Policy.all
    /// A lite agent answers and never asks (RFC 8445 §2.5).
    package var isLite = false
    /// What servers to ask for the outside of our NATs.
    package var stunServers: [SocketAddress] = []

    /// The pacing of connectivity checks: of the first ones and of those after (`Ta`, RFC 8445 §14.2).
    package var firstPacing = Duration.milliseconds(20)
    package var firstChecks = 12
    package var pacing = Duration.milliseconds(50)
    /// Pacing of triggered checks; RFC 8445 §14.2 allows no less.
    package var triggeredPacing = Duration.milliseconds(5)
    /// A pair whose connectivity checks are not answered for so long has failed.
    package var checkTimeout = Duration.seconds(10)
    /// How long to look for pairs that would only be a reserve, once there is a path.
    package var reserveSearch = Duration.seconds(3)
    /// How many valid pairs are kept warm beside the one that is used.
    package var reserves = 2

    /// RFC 7675 §5.1: the basic interval, of which each is between 0.8 and 1.2.
    package var consentInterval = Duration.seconds(5)
    package var consentLifetime = Duration.seconds(30)
    /// Silence of the pair in use after which the state is `disconnected`.
    package var silence = Duration.seconds(7)

    /// A STUN server that has not answered for so long is given up.
    package var serverTimeout = Duration.seconds(5)
    /// Limits on pairs and remote candidates (RFC 8445 §6.1.2.5).
    package var maximumPairs = 100
    package var maximumRemotes = 40

    package init() {}
}
