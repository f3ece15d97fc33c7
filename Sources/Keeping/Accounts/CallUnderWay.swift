package import Vocabulary

/// A call in which two talk, kept for as long as they do.
package struct CallUnderWay: Hashable, Sendable {
    package let id: CallID
    package let caller: UserID
    package let callee: UserID
    /// The connections that held the seats when the call was answered.
    package let callerSession: SessionID
    package let calleeSession: SessionID
    /// `audio`, `video`: the words of the calling protocol.
    package let kind: String
    package let started: WallTime
    package let answered: WallTime
    /// In whose data directory the server worked that knows of it; nil where there is only one.
    package var node: String?

    package init(
        id: CallID, caller: UserID, on callerSession: SessionID, callee: UserID, on calleeSession: SessionID,
        kind: String, started: WallTime, answered: WallTime
    ) {
        self.id = id
        self.caller = caller
        self.callee = callee
        self.callerSession = callerSession
        self.calleeSession = calleeSession
        self.kind = kind
        self.started = started
        self.answered = answered
    }
}
