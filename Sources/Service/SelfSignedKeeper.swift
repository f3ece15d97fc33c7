internal import Journal
internal import Reactor
internal import Secure
internal import Vocabulary

/// Looks every hour whether the certificate still names this machine and is good for a while, and puts a new one to use.
final class SelfSignedKeeper {
    private let certificate: SelfSignedCertificate
    private let scheduler: any Scheduler
    private let journal: Journal
    private let use: (TLSContext) -> Void

    private static let checkInterval = Duration.seconds(3600)

    init(
        _ certificate: SelfSignedCertificate, on scheduler: any Scheduler, journal: Journal,
        use: @escaping (TLSContext) -> Void
    ) {
        self.certificate = certificate
        self.scheduler = scheduler
        self.journal = journal
        self.use = use
        self.scheduleCheck()
    }

    private func scheduleCheck() {
        self.scheduler.schedule(after: Self.checkInterval) { [weak self] in
            self?.check()
            self?.scheduleCheck()
        }
    }

    private func check() {
        do throws(SecureError) {
            let (identity, isNew) = try self.certificate.current()
            guard isNew else { return }
            self.use(try TLSContext(identity))
            self.journal.notice(
                .tlsRenewed, "a new self-signed certificate is in use; clients have to trust it anew",
                [.fingerprint: .plain(identity.fingerprint)])
        } catch {
            self.journal.error(
                .tlsReloadFailed, "the new certificate cannot be used; the old one stays in use",
                [.error: .error(error)])
        }
    }
}

extension LogName {
    static let tlsRenewed = LogName("tls.renewed")
}

extension LogKey {
    static let fingerprint = LogKey("fingerprint")
}
