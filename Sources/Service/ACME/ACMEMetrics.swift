internal import Journal
internal import Secure
internal import System
internal import Vocabulary

/// How long the certificate from an authority is still good, and how often there was none to be had.
final class ACMEMetrics: Sendable {
    let failures: Counter
    private let end = Locked<WallTime?>(nil)

    init(_ registry: MetricsRegistry) {
        self.failures = registry.counter(
            "parley_acme_failures_total", "Orders for a certificate that the authority did not fulfil.")
        registry.gauge("parley_certificate_days_left", "Days until the certificate from the authority ends.") {
            [end] in
            end.withLock { $0 }.map { Double($0.seconds - SystemClock.now().seconds) / 86_400 }
        }
    }

    func set(_ certificate: IssuedCertificate?) { self.end.withLock { $0 = certificate?.notAfter } }
}
