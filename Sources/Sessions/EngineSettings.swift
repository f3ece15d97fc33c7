import SocketIO
import Vocabulary

/// The times and limits of all Engine.IO sessions of a server; one object, shared by them.
package final class EngineSettings: Sendable {
    /// How long the line may be quiet before a ping.
    package let pingInterval: Duration
    /// How long an answer may take.
    package let pingTimeout: Duration
    /// How long a WebSocket may take to become the session's transport.
    package let upgradeTimeout: Duration
    /// How often a waiting poll is let go while a client is moving over to its WebSocket.
    package let noopPace: Duration
    /// How long a session that was closed waits for a last poll to say so.
    package let closeTimeout: Duration
    /// What one polling body or one WebSocket message may weigh, in both directions.
    package let maxPayload: Int
    /// What may wait for a client that does not read.
    package let maximumQueuedBytes: Int
    package let allowsUpgrade: Bool

    /// Silence is noticed this much early, so that a client that waits exactly as long as it was told finds its
    /// session gone and not just going.
    package static let slack: Duration = .milliseconds(10)

    package init(
        pingInterval: Duration = .seconds(25), pingTimeout: Duration = .seconds(20),
        upgradeTimeout: Duration = .seconds(10), noopPace: Duration = .milliseconds(100),
        closeTimeout: Duration = .seconds(30), maxPayload: Int = 1_000_000, maximumQueuedBytes: Int = 4_000_000,
        allowsUpgrade: Bool = true
    ) {
        precondition(pingTimeout > Self.slack, "a ping timeout leaves time for an answer")
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.upgradeTimeout = upgradeTimeout
        self.noopPace = noopPace
        self.closeTimeout = closeTimeout
        self.maxPayload = maxPayload
        self.maximumQueuedBytes = maximumQueuedBytes
        self.allowsUpgrade = allowsUpgrade
    }

    func opening(of sid: SessionID, on transport: EngineTransport) -> EngineOpening {
        EngineOpening(
            sid: sid, offersUpgrade: self.allowsUpgrade && transport == .polling, pingInterval: self.pingInterval,
            pingTimeout: self.pingTimeout, maxPayload: self.maxPayload)
    }
}
