package import Pacing
package import Sessions
package import SocketIO

/// How the sockets of a server behave.
package struct SocketServerSettings: Sendable {
    package var engine = EngineSettings()
    /// For clients of Engine.IO 3.
    package var oldEngine = EngineSettings()
    /// How long a session of Engine.IO 3 that begins on a WebSocket keeps its opening back: such clients lose one that
    /// reaches them in one read with the answer to their upgrade.
    package var oldOpeningDelay = Duration.milliseconds(10)
    /// How often one address may begin a session, and how many it may have.
    package var arrivals = ArrivalBook.Limits()
    /// The namespaces there are.
    package var namespaces: Set<Namespace> = [.main]
    /// A client of Engine.IO 4 that connects to no namespace for so long is sent away.
    package var connectTimeout = Duration.seconds(45)
    /// How long a place is kept for a client whose line is down; nil keeps none.
    package var recoveryWindow: Duration? = .seconds(120)
    /// Answers that may be outstanding from one client.
    package var maxPendingAcks = 1000
    /// How often one session may be let in: each time its client has a clean sheet, also for what it may ask for.
    package var maxConnects = 16

    /// No Socket.IO: every message of Engine.IO goes back where it came from, for its conformance suite.
    package var echoes = false

    package init() {}

    func engine(for version: EngineVersion) -> EngineSettings { version == .v4 ? self.engine : self.oldEngine }

    /// The attachments of one packet weigh together what one message may.
    func packetLimits(for version: EngineVersion) -> SocketPacketLimits {
        SocketPacketLimits(attachmentBytes: self.engine(for: version).maxPayload)
    }
}
