internal import Identity
internal import Reactor
internal import SocketServer
internal import Switchboard

/// What the service keeps for a socket that is signed in: who it is, and when that ends.
final class SignedInSession {
    var identity: Identity
    let guest: Guest
    /// Rings before the token ends, and when it does.
    var timer: TimerToken?
    /// Rings before the credentials of its TURN servers end.
    var serverTimer: TimerToken?

    init(_ identity: Identity, _ guest: Guest) {
        self.identity = identity
        self.guest = guest
    }
}
