package import Sessions
internal import SocketIO

/// How sessions of one revision of Engine.IO are served, as far as the revision leaves it open; one object, shared by them.
package final class LinkPolicy: Sendable {
    /// Times and limits.
    package let engine: EngineSettings
    /// How long a session that begins on a WebSocket keeps its opening back.
    package let openingDelay: Duration
    /// Whether clients take the session's own id for that of their socket in the main namespace.
    package let sharesSessionID: Bool
    /// Query parameters by which clients are known that do not name the revision.
    package let impliedBy: [String]
    /// What a client that was not let in yet may send in one message: it has a token to bring and no more.
    package let maximumBytesBeforeConnect = 16 << 10
    /// What the text of one packet may weigh, where attachments may be larger than text that is walked through; nil for as much.
    package let maximumTextBytes: Int?
    /// The query parameter with the token a session began with, which may come as `Authorization: Bearer` as well. Every request of the session has to bring it again: where
    /// others are told the session's id, that alone must not be enough to speak for it.
    package let credential: String?

    package init(
        _ engine: EngineSettings = EngineSettings(), openingDelay: Duration = .zero, sharesSessionID: Bool = false,
        impliedBy: [String] = [], maximumTextBytes: Int? = nil, credential: String? = nil
    ) {
        self.engine = engine
        self.openingDelay = openingDelay
        self.sharesSessionID = sharesSessionID
        self.impliedBy = impliedBy
        self.maximumTextBytes = maximumTextBytes
        self.credential = credential
    }

    /// For clients of Socket.IO 1 and 2 over Engine.IO 3. They lose an opening that reaches them in one read with the answer
    /// to their upgrade.
    package static func legacy(
        _ engine: EngineSettings = EngineSettings(), impliedBy: [String] = [], maximumTextBytes: Int? = nil,
        credential: String? = nil
    ) -> LinkPolicy {
        LinkPolicy(
            engine, openingDelay: .milliseconds(10), sharesSessionID: true, impliedBy: impliedBy,
            maximumTextBytes: maximumTextBytes, credential: credential)
    }

    /// The same with other times and limits.
    package func with(_ engine: EngineSettings) -> LinkPolicy {
        LinkPolicy(
            engine, openingDelay: self.openingDelay, sharesSessionID: self.sharesSessionID, impliedBy: self.impliedBy,
            maximumTextBytes: self.maximumTextBytes, credential: self.credential)
    }

    /// The attachments of one packet weigh together what one message may.
    var packetLimits: SocketPacketLimits { SocketPacketLimits(attachmentBytes: self.engine.maxPayload) }
}
