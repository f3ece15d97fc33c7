internal import HTTPServer
internal import Journal
internal import Reactor
internal import Secure
internal import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Keeps the certificate in use the one in the files: read again when they change, and on SIGHUP.
///
/// When the new files do not fit together the old certificate stays, and the journal says why.
final class CertificateKeeper {
    private let certificate: String
    private let key: String
    private let server: HTTPServer
    private let reactor: Reactor
    private let journal: Journal
    private var version: String

    private static let lookEvery = Duration.seconds(10)

    init(certificate: String, key: String, _ server: HTTPServer, _ reactor: Reactor, _ journal: Journal) {
        self.certificate = certificate
        self.key = key
        self.server = server
        self.reactor = reactor
        self.journal = journal
        self.version = Self.version(of: certificate, key)
        self.lookLater()
    }

    func reload() {
        do throws(SecureError) {
            self.version = Self.version(of: self.certificate, self.key)
            self.server.use(try TLSContext(certificateFile: self.certificate, keyFile: self.key))
            self.journal.notice(
                .tlsReloaded, "new connections use the new certificate", [.file: .plain(self.certificate)])
        } catch {
            self.journal.error(.tlsReloadFailed, "the old certificate stays in use", [.error: .error(error)])
        }
    }

    private func lookLater() {
        self.reactor.schedule(after: Self.lookEvery) { [weak self] in
            guard let self else { return }
            if Self.version(of: self.certificate, self.key) != self.version { self.reload() }
            self.lookLater()
        }
    }

    private static func version(of files: String...) -> String {
        files.map { file in
            var status = stat()
            guard unsafe stat(file, &status) == 0 else { return "none" }
            return "\(status.st_ino):\(status.st_size):\(status.modifiedAt)"
        }.joined(separator: " ")
    }
}

extension stat {
    fileprivate var modifiedAt: String {
        #if canImport(Glibc)
        "\(self.st_mtim.tv_sec).\(self.st_mtim.tv_nsec)"
        #else
        "\(self.st_mtimespec.tv_sec).\(self.st_mtimespec.tv_nsec)"
        #endif
    }
}

extension LogName {
    static let tlsReloaded = LogName("tls.reloaded")
    static let tlsReloadFailed = LogName("tls.reload_failed")
}
