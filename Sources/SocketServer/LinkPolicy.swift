package import Sessions
internal import SocketIO

/// How sessions of one revision of Engine.IO are served, as far as the revision leaves it open.
package struct LinkPolicy: Sendable {
    /// Times and limits.
    package var engine: EngineSettings
    /// How long a session that begins on a WebSocket keeps its opening back.
    package var openingDelay: Duration = .zero
    /// Whether clients take the session's own id for that of their socket in the main namespace.
    package var sharesSessionID = false
    /// Query parameters by which clients are known that do not name the revision.
    package var impliedBy: [String] = []

    /// What a client that was not let in yet may send in one message: it has a token to bring and no more.
    package var maximumBytesBeforeConnect = 16 << 10
    /// What the text of one packet may weigh, where attachments may be larger than text that is walked through; nil for as much.
    package var maximumTextBytes: Int?
    /// The query parameter with the token a session began with, which may come as `Authorization: Bearer` as well. Every request of the session has to bring it again: where
    /// others are told the session's id, that alone must not be enough to speak for it.
    package var credential: String?

    package init(_ engine: EngineSettings = EngineSettings()) { self.engine = engine }

    /// For clients of Socket.IO 1 and 2 over Engine.IO 3. They lose an opening that reaches them in one read with the answer
    /// to their upgrade.
    package static func legacy(_ engine: EngineSettings = EngineSettings()) -> LinkPolicy {
        var policy = LinkPolicy(engine)
        policy.openingDelay = .milliseconds(10)
        policy.sharesSessionID = true
        return policy
    }

    /// The attachments of one packet weigh together what one message may.
    var packetLimits: SocketPacketLimits { SocketPacketLimits(attachmentBytes: self.engine.maxPayload) }
}
