internal import ACME
internal import Journal
internal import Reactor
internal import Secure
internal import System
internal import Vocabulary

/// Sees that there is a certificate from an authority, and that the next one is there before it ends.
final class ACMEKeeper {
    private let settings: ACMESettings
    private let files: ACMEFiles
    private let fetcher: ACMEFetcher
    private let reactor: Reactor
    private let journal: Journal
    private let metrics: ACMEMetrics
    private let use: (TLSContext) -> Void
    private var certificate: IssuedCertificate?
    private var schedule: RenewalSchedule
    /// The order under way.
    private var order: ACMEOrderMachine?
    private var alarm: TimerToken?

    /// The wall clock may jump, and then it is time sooner than it seemed.
    private static let longestSleep = Duration.seconds(3600)

    /// - Parameter use: takes what new connections are encrypted with.
    init(
        _ settings: ACMESettings, _ files: ACMEFiles, _ fetcher: ACMEFetcher, on reactor: Reactor, _ journal: Journal,
        _ metrics: ACMEMetrics, use: @escaping (TLSContext) -> Void
    ) {
        self.settings = settings
        self.files = files
        self.fetcher = fetcher
        self.reactor = reactor
        self.journal = journal
        self.metrics = metrics
        self.use = use
        self.certificate = files.certificate
        self.schedule = RenewalSchedule(names: settings.names, jitter: .random(in: 0...1))
        self.metrics.set(self.certificate)
    }

    /// With the kept certificate; where there is none, with one that nobody vouches for, until the authority does.
    static func firstContext(_ settings: ACMESettings, _ files: ACMEFiles) throws(SecureError) -> TLSContext {
        if let file = settings.authorities { _ = try TLSContext(clientTrusting: file) }
        return try self.context(files.certificate, settings, answering: nil)
    }

    private static func context(
        _ certificate: IssuedCertificate?, _ settings: ACMESettings, answering challenge: TLSContext?
    ) throws(SecureError) -> TLSContext {
        if let certificate { return try TLSContext(certificate, answering: challenge) }
        return try TLSContext(SelfSignedIdentity(names: settings.names), answering: challenge)
    }

    /// Looks whether it is time, now and from then on.
    func look() {
        // An order that waits has the alarm.
        guard self.order == nil else { return }
        if let alarm = self.alarm.take() { self.reactor.cancel(alarm) }
        let wait = self.schedule.wait(after: self.certificate, at: SystemClock.now())
        guard wait > .zero else { return self.begin() }
        self.wake(after: min(wait, Self.longestSleep)) { $0.look() }
    }

    private func wake(after time: Duration, _ body: @escaping (ACMEKeeper) -> Void) {
        self.alarm = self.reactor.schedule(after: time) { [weak self] in
            guard let self else { return }
            self.alarm = nil
            body(self)
        }
    }

    /// The operator has mended something, perhaps.
    func retry() {
        self.schedule.forgetFailures()
        self.look()
    }
}

// MARK: - One order

extension ACMEKeeper {
    private func begin() {
        do throws(ACMEError) {
            self.order = ACMEOrderMachine(self.settings, try self.files.accountKey())
            self.journal.info(
                .acmeBegun, "a certificate is asked for",
                [.names: .plain(self.names), .authority: .plain(self.settings.directory)])
            self.step { $0.begin() }
        } catch {
            self.failed(error, retryAfter: nil)
        }
    }

    private var names: String { self.settings.names.joined(separator: ", ") }

    private func step(_ event: (inout ACMEOrderMachine) -> ACMEOrderMachine.Action) {
        guard var order = self.order else { return }
        let action = event(&order)
        self.order = order
        self.carryOut(action)
    }

    private func carryOut(_ action: ACMEOrderMachine.Action) {
        switch action {
        case .send(let request):
            self.fetcher.send(request) { [weak self] outcome in
                self?.step { order in
                    switch outcome {
                    case .success(let answer): order.answered(answer, at: SystemClock.now())
                    case .failure(.unreachable(let url, let reason)): order.unanswered(url, reason)
                    case .failure(let error): order.unanswered(request.url, "\(error)")
                    }
                }
            }
        case .present(let challenge): self.present(challenge)
        case .wait(let time):
            self.wake(after: time) { keeper in keeper.step { $0.waited() } }
        case .finished(let certificate): self.finished(certificate)
        case .failed(let error, let retryAfter): self.failed(error, retryAfter: retryAfter)
        }
    }

    private func present(_ challenge: ACMEOrderMachine.Challenge) {
        do throws(SecureError) {
            let identity = try SelfSignedIdentity(names: [challenge.name], challenge: challenge.digest)
            try self.serve(answering: TLSContext(challenge: identity))
            self.step { $0.presented() }
        } catch {
            self.failed(.notMade(error), retryAfter: nil)
        }
    }

    private func serve(answering challenge: TLSContext?) throws(SecureError) {
        self.use(try Self.context(self.certificate, self.settings, answering: challenge))
    }

    private func finished(_ certificate: IssuedCertificate) {
        self.order = nil
        self.certificate = certificate
        do throws(SecureError) {
            try self.serve(answering: nil)
        } catch {
            return self.failed(.notMade(error), retryAfter: nil)
        }
        self.keep(certificate)
        self.schedule.succeeded(at: SystemClock.now())
        self.metrics.set(certificate)
        self.journal.notice(
            .tlsRenewed, "a new certificate from the authority is in use",
            [
                .names: .plain(self.names), .fingerprint: .plain(certificate.fingerprint),
                .days: .integer(certificate.days(at: SystemClock.now())),
            ])
        self.look()
    }

    private func keep(_ certificate: IssuedCertificate) {
        do throws(SecureError) {
            try self.files.keep(certificate)
        } catch {
            self.journal.error(
                .acmeNotKept, "the new certificate cannot be kept; after a restart another one is asked for",
                [.error: .error(error)])
        }
    }

    private func failed(_ error: ACMEError, retryAfter: Duration?) {
        let (now, wasPresenting) = (SystemClock.now(), self.order != nil)
        self.order = nil
        self.metrics.failures.increment()
        self.schedule.failed(at: now, retryAfter: retryAfter)
        // What was shown to the authority has no meaning any more. What was served stays when even that fails.
        if wasPresenting { try? self.serve(answering: nil) }
        let pause = self.schedule.wait(after: self.certificate, at: now)
        self.journal.error(
            .acmeFailed, "no certificate from the authority; it is asked again later, or at once after SIGHUP",
            [.names: .plain(self.names), .error: .error(error), .retryIn: .duration(pause)])
        self.look()
    }
}

extension IssuedCertificate {
    /// Whole days that are left; less than nothing when it has ended.
    func days(at now: WallTime) -> Int64 { (self.notAfter.seconds - now.seconds) / 86_400 }
}

extension LogName {
    static let acmeBegun = LogName("acme.begun")
    static let acmeNotKept = LogName("acme.not_kept")
    static let acmeFailed = LogName("acme.failed")
}

extension LogKey {
    static let names = LogKey("names")
    static let authority = LogKey("authority")
    static let days = LogKey("days")
    static let retryIn = LogKey("retry_in")
}
