package import Calling
internal import Pacing
package import SocketServer
package import Vocabulary

/// Somebody who is signed in, on one of their lines.
package final class Guest {
    package let line: Line
    package let name: DisplayName
    /// In which words this client speaks.
    package let dialect: any Dialect
    package let socket: Socket
    package internal(set) var rooms: Set<RoomName> = []
    var allowance: TokenBucket

    init(_ line: Line, _ name: DisplayName, _ dialect: any Dialect, _ socket: Socket, _ allowance: TokenBucket) {
        self.line = line
        self.name = name
        self.dialect = dialect
        self.socket = socket
        self.allowance = allowance
    }

    package var user: UserID { self.line.user }
    package var session: SessionID { self.line.session }
}
