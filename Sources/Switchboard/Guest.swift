package import Calling
internal import Pacing
package import SocketServer
package import Vocabulary

/// A signed-in user, on one of their lines.
package final class Guest {
    package let line: Line
    package internal(set) var name: DisplayName
    /// In which words this client speaks.
    package let dialect: any Dialect
    package let socket: Socket
    /// Which of the user's devices it is, as it says.
    package let device: DeviceID
    /// Where it has a seat. An array, each room in it once: a set of one takes twice the memory.
    package internal(set) var rooms: [RoomName] = []
    /// Whether its line is up, as far as this node knows.
    var isUp = false
    /// Whether that stands in the ledger.
    package internal(set) var isKnown = false
    var avatar: AvatarLink?
    /// For requests, whatever they are for.
    var allowance: TokenBucket
    /// For calls that begin.
    var invitations: TokenBucket

    init(
        _ line: Line, _ name: DisplayName, _ dialect: any Dialect, _ socket: Socket, _ device: DeviceID,
        _ settings: SwitchboardSettings, at now: Instant
    ) {
        self.line = line
        self.name = name
        self.dialect = dialect
        self.socket = socket
        self.device = device
        self.allowance = TokenBucket(settings.requests, at: now)
        self.invitations = TokenBucket(settings.invitations, at: now)
    }

    package var user: UserID { self.line.user }
    package var session: SessionID { self.line.session }
}
