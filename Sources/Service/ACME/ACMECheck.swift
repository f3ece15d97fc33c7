internal import ACME
internal import Reactor
internal import Secure
internal import System
internal import Vocabulary

/// What there is to say of certificates from an authority before a server is started.
struct ACMECheck {
    private let settings: ACMESettings
    private let configuration: ServiceConfiguration

    typealias Finding = ConfigurationCheck.Finding

    /// Where an authority looks for the answer to its challenge, whatever port clients use (RFC 8737 §3).
    private static let port: UInt16 = 443

    init(_ settings: ACMESettings, _ configuration: ServiceConfiguration) {
        self.settings = settings
        self.configuration = configuration
    }

    func findings() -> [Finding] { [self.certificate, self.place, self.directory].compactMap(\.self) }

    private var certificate: Finding {
        let names = self.settings.names.joined(separator: ", ")
        guard let kept = ACMEFiles(in: self.configuration.data).certificate else {
            return self.say(.ok, "there is no certificate for \(names) yet; the first start asks for one")
        }
        if let name = self.settings.names.first(where: { !kept.covers($0) }) {
            return self.say(.ok, "the certificate that is kept is not for \(name); the next start asks for another")
        }
        let now = SystemClock.now()
        let severity: ConfigurationCheck.Severity = kept.notAfter < now + ConfigurationCheck.soon ? .warning : .ok
        return self.say(severity, "the certificate for \(names) is good for \(kept.days(at: now)) more days")
    }

    private var place: Finding? {
        guard self.configuration.manager.sockets.isEmpty,
            !self.configuration.listen.contains(where: { $0.port == Self.port && !$0.ip.isLoopback })
        else { return nil }
        return self.say(
            .warning, "the authority comes to port 443, which no --listen has; it has to be led to one of them")
    }

    /// Asks as the first order does.
    private var directory: Finding {
        do {
            let group = try EventLoopGroup(count: 1)
            defer { group.shutDown() }
            let outcome = Locked<Result<ACMEAnswer, ACMEError>?>(nil)
            let done = Gate()
            group.loops[0].execute { [settings, networks = self.configuration.outgoingNetworks] reactor in
                ACMEFetcher(settings, on: reactor, allowing: networks).send(.directory(settings)) { result in
                    outcome.withLock { $0 = result }
                    done.open()
                }
            }
            done.wait()
            guard let answer = try outcome.withLock({ try $0?.get() }) else { preconditionFailure("no outcome") }
            let found = try ACMEDirectory(answer)
            let terms = found.termsOfService.map { ", whose terms of service are \(PlainText.line($0))" } ?? ""
            return self.say(.ok, "the authority answers at \(self.settings.directory)\(terms)", "--acme-directory")
        } catch {
            return self.say(.error, "\(error)", "--acme-directory")
        }
    }

    private func say(
        _ severity: ConfigurationCheck.Severity, _ text: String, _ subject: String = "--acme"
    ) -> Finding {
        Finding(severity: severity, subject: subject, text: text)
    }
}
