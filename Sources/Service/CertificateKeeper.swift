internal import System
internal import Journal
internal import Reactor
internal import Secure
internal import Vocabulary

/// Keeps the certificate in use the one in the files: read again when they change, and on SIGHUP.
///
/// When the new files do not fit together the old certificate stays, and the journal says why.
final class CertificateKeeper {
    private let certificate: String
    private let key: String
    private let scheduler: any Scheduler
    private let journal: Journal
    private let load: (_ certificate: String, _ key: String) throws(SecureError) -> TLSContext
    private let use: (TLSContext) -> Void
    private var version: String

    private static let checkInterval = Duration.seconds(10)

    /// - Parameters:
    ///   - load: reads both files and sees that they fit together.
    ///   - use: takes what was read, for connections from then on.
    init(
        certificate: String, key: String, on scheduler: any Scheduler, journal: Journal,
        load: @escaping (String, String) throws(SecureError) -> TLSContext = CertificateKeeper.read,
        use: @escaping (TLSContext) -> Void
    ) {
        self.certificate = certificate
        self.key = key
        self.scheduler = scheduler
        self.journal = journal
        self.load = load
        self.use = use
        self.version = Self.version(of: certificate, key)
        self.scheduleCheck()
    }

    func reload() {
        do throws(SecureError) {
            self.version = Self.version(of: self.certificate, self.key)
            self.use(try self.load(self.certificate, self.key))
            self.journal.notice(
                .tlsReloaded, "the certificate was read again; new connections use it",
                [.file: .plain(self.certificate)])
        } catch {
            self.journal.error(
                .tlsReloadFailed, "the new certificate cannot be used; the old one stays in use",
                [.error: .error(error)])
        }
    }

    private static func read(_ certificate: String, _ key: String) throws(SecureError) -> TLSContext {
        try TLSContext(certificateFile: certificate, keyFile: key)
    }

    private func scheduleCheck() {
        self.scheduler.schedule(after: Self.checkInterval) { [weak self] in
            guard let self else { return }
            if Self.version(of: self.certificate, self.key) != self.version { self.reload() }
            self.scheduleCheck()
        }
    }

    private static func version(of files: String...) -> String {
        files.map { FileStatus(of: $0)?.version ?? "none" }.joined(separator: " ")
    }
}

extension LogName {
    static let tlsReloaded = LogName("tls.reloaded")
    static let tlsReloadFailed = LogName("tls.reload_failed")
}
