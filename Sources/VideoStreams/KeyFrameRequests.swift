internal import Vocabulary

/// When a sender is asked for a picture that needs no other: at once, and again while it does not come, but never more often
/// than it could be made.
struct KeyFrameRequests: Hashable, Sendable {
    private var wantedSince: Instant?
    private var lastRequest: Instant?
    /// Of requests that count themselves (RFC 5104 §4.3.1).
    private(set) var number: UInt8 = 0

    private static let interval = Duration.milliseconds(500)

    mutating func want(at now: Instant) {
        if self.wantedSince == nil { self.wantedSince = now }
    }

    mutating func keyFrameArrived() { self.wantedSince = nil }

    var deadline: Instant? {
        guard let wantedSince = self.wantedSince else { return nil }
        return self.lastRequest.map { max(wantedSince, $0 + Self.interval) } ?? wantedSince
    }

    mutating func takeDue(at now: Instant) -> Bool {
        guard let deadline = self.deadline, deadline <= now else { return false }
        self.lastRequest = now
        self.number &+= 1
        return true
    }
}
