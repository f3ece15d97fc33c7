import HTTPServer
import Pacing
import System
import Vocabulary
import Web

/// How many calls over `--http` one client prefix may have, and begin: one count for all loops. Nobody is asked who they are, so
/// their address is all that tells them apart.
final class OfferAdmission: Sendable {
    private let sessions: Locked<SessionAdmission>

    /// - Parameter maximumCalls: of one prefix; nil for the usual number, with which this machine itself has as many as it likes.
    init(_ maximumCalls: Int?) {
        var limits = SessionAdmission.Limits()
        limits.maximumOpen = maximumCalls ?? 100
        limits.rate = TokenBucket.Rate(
            perSecond: max(1, Double(limits.maximumOpen) / 10), burst: Double(limits.maximumOpen))
        limits.countsThisMachine = maximumCalls != nil
        self.sessions = Locked(SessionAdmission(limits))
    }

    /// Nil when the call is let in, and else how it is refused. What was let in is given back with `left`.
    func refusal(of client: IPAddress, at now: Instant) -> HTTPResponse? {
        do throws(SessionAdmission.Refusal) {
            try self.sessions.withLock { sessions throws(SessionAdmission.Refusal) in
                try sessions.arrived(from: client, at: now)
            }
            return nil
        } catch {
            var response = HTTPResponse.error(.tooManyRequests, "too many calls from your address")
            if case .tooOften(let wait) = error { response.setRetryAfter(wait) }
            return response
        }
    }

    func left(_ client: IPAddress) { self.sessions.withLock { $0.left(client) } }
}
