package import Vocabulary

/// Two who talk, as the next run of a server has to know it: media goes from one to the other, and outlives the server.
package struct RunningCall: Hashable, Sendable {
    package let id: CallID
    package let caller: Line
    package let callee: Line
    package let kind: CallKind
    package let started: Instant
    package let answered: Instant

    package init(id: CallID, caller: Line, callee: Line, kind: CallKind, started: Instant, answered: Instant) {
        self.id = id
        self.caller = caller
        self.callee = callee
        self.kind = kind
        self.started = started
        self.answered = answered
    }
}
