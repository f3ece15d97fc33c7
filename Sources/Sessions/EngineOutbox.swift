package import SocketIO

/// What a session wants done, in order. The shell empties it after every event.
package struct EngineOutbox: Sendable {
    package enum Action: Sendable {
        /// The waiting poll ends with these packets.
        case answerPoll([EncodedPacket])
        /// One frame on the session's WebSocket. A session never has more than one.
        case write(EncodedPacket)
        case closeSocket(code: UInt16)
        /// The session travels on its WebSocket from now on.
        case upgraded
        /// A ping is on its way, behind everything that was sent before it.
        case pinged
        /// It came back: the client has everything that was sent before that ping.
        case ponged
        /// Nothing follows. The session can be forgotten.
        case ended(EngineEnd)
    }

    package private(set) var actions: [Action] = []

    package init() {}

    package var isEmpty: Bool { self.actions.isEmpty }

    /// Nothing is left in it, and no memory kept: there is one for each session.
    package mutating func takeAll() -> [Action] {
        defer { self.actions = [] }
        return self.actions
    }

    mutating func append(_ action: Action) {
        self.actions.append(action)
    }
}
