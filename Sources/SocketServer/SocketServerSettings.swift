package import Pacing
package import SocketIO
package import Vocabulary

/// How the sockets of a server behave.
package struct SocketServerSettings: Sendable {
    package var link = LinkPolicy()
    /// For clients of Engine.IO 3; nil lets none of them in.
    package var legacyLink: LinkPolicy? = .legacy()
    /// How often one address may begin a session, and how many it may have.
    package var arrivals = SessionAdmission.Limits()
    /// How long one waits at most until it is let in, when many arrive at once; who would wait for longer is told to come later
    package var maximumArrivalWait = Duration.seconds(5)
    /// One was told so.
    package var onPutOff: @Sendable () -> Void = {}
    /// The namespaces there are.
    package var namespaces: Set<Namespace> = [.main]
    /// A client that was let into no namespace for so long is sent away.
    package var connectTimeout = Duration.seconds(45)
    /// How long a place is kept for a client whose line is down; nil keeps none.
    package var recoveryWindow: Duration? = .seconds(120)
    /// Answers that may be outstanding from one client.
    package var maximumPendingAcks = 1000
    /// How often one session may be let in: each time its client has a clean sheet, also for what it may ask for.
    package var maximumConnects = 16
    /// How often one session may be turned away before it ends.
    package var maximumRefusals = 3

    /// The names of the first loops as nodes, one for each on which sessions live; none where there are no other nodes that clients could
    /// come back to.
    package var nodes: [RandomToken] = []

    /// No Socket.IO: every message of Engine.IO goes back where it came from, for its conformance suite.
    package var echoes = false

    package init() {}
}
