package import Vocabulary

/// How a call ended: the closed list that records, events and clients share.
package enum CallOutcome: String, Hashable, Sendable, CaseIterable {
    /// Both talked, and one of them hung up.
    case completed
    /// The callee said no.
    case declined
    /// The callee was in another call.
    case busy
    /// The caller thought better of it.
    case cancelled
    /// It rang until the time was over.
    case noAnswer
    /// There was no device to ring.
    case offline
    /// The link of one side broke and did not come back.
    case lost
    /// A device could not do its part: no microphone, no route for the media.
    case failed
    /// The server went down.
    case serverRestarted
}

/// What a device is told when a call is over for it. It is told once.
package enum CallEnding: Hashable, Sendable {
    /// The whole call is over; `by` names whose doing it was, if it was anybody's.
    case over(CallOutcome, by: UserID?)
    /// Another device of this user took the call.
    case answeredElsewhere
    /// Another line of this user took over the seat.
    case movedElsewhere
    /// Both rang each other, and it became one call, under the other name.
    case merged(into: CallID)
}

/// What history keeps of a call.
package struct CallRecord: Hashable, Sendable {
    package let id: CallID
    package let caller: UserID
    package let callee: UserID
    package let kind: CallKind
    package let started: Instant
    package let answered: Instant?
    package let ended: Instant
    package let outcome: CallOutcome
    /// Whose doing the end was, if it was anybody's.
    package let endedBy: UserID?
}
