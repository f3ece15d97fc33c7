package import Secure
package import Vocabulary

/// When an authority is asked for a certificate: where none fits at once, else when a third of its life is left. What fails is
/// tried again later and later.
package struct RenewalSchedule: Hashable, Sendable {
    private let names: [String]
    /// Between 0 and 1, another one for each server: so they do not all come in the same second.
    private let jitter: Double
    private var failures = 0
    /// Before that nothing is asked for.
    private var earliest = WallTime(milliseconds: 0)

    private static let firstPause = Duration.seconds(120)
    private static let longestPause = Duration.seconds(12 * 3600)
    /// What an authority may ask for, at most.
    private static let longestRetry = Duration.seconds(86_400)
    /// Whatever life a certificate has, the next one is not asked for at once.
    private static let pauseAfterSuccess = Duration.seconds(60)

    package init(names: [String], jitter: Double) {
        self.names = names
        self.jitter = min(max(jitter, 0), 1)
    }

    /// How long until one is asked for; zero when it is time.
    ///
    /// - Parameter certificate: the one in use, if an authority vouches for it.
    package func wait(after certificate: IssuedCertificate?, at now: WallTime) -> Duration {
        .milliseconds(max(0, self.due(after: certificate).milliseconds - max(0, now.milliseconds)))
    }

    private func due(after certificate: IssuedCertificate?) -> WallTime {
        guard let certificate, self.names.allSatisfy({ certificate.covers($0) }) else { return self.earliest }
        let life = certificate.notAfter.milliseconds - certificate.notBefore.milliseconds
        let third = Double(life) / 3 * (1 + self.jitter / 10)
        return max(self.earliest, certificate.notAfter + .milliseconds(-third))
    }

    /// - Parameter retryAfter: what the authority asked for.
    package mutating func failed(at now: WallTime, retryAfter: Duration?) {
        // Four tries in the first hour: authorities count failures.
        var pause = Self.firstPause
        for _ in 0..<self.failures where pause < Self.longestPause { pause *= 3 }
        self.failures += 1
        pause = min(pause, Self.longestPause) * (1 + self.jitter / 4)
        self.earliest = now + max(pause, min(retryAfter ?? .zero, Self.longestRetry))
    }

    package mutating func succeeded(at now: WallTime) {
        self.failures = 0
        self.earliest = now + Self.pauseAfterSuccess
    }

    /// The operator says that it is worth a try.
    package mutating func forgetFailures() {
        self.failures = 0
        self.earliest = WallTime(milliseconds: 0)
    }
}
