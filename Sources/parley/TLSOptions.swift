import Arguments
import Service

/// How connections are secured.
struct TLSOptions: ParsableArguments {
    enum Mode: String, CaseIterable, Sendable, ExpressibleByArgument {
        case selfSigned = "self-signed"
    }

    @Option(
        help: ArgumentHelp("Certificate chain (PEM); reloaded when it changes.", valueName: "FILE"),
        completion: .file)
    var tlsCert: String?

    @Option(help: ArgumentHelp("Private key of the certificate (PEM).", valueName: "FILE"), completion: .file)
    var tlsKey: String?

    @Option(
        help:
            "Use a certificate that the server makes and keeps in the data directory, for a trial on your own network.")
    var tls: Mode?

    @OptionGroup var acme: ACMEOptions

    func validate() throws(ValidationError) {
        if (self.tlsCert == nil) != (self.tlsKey == nil) {
            throw ValidationError("--tls-cert and --tls-key must be given together")
        }
        if self.tls != nil && self.tlsCert != nil {
            throw ValidationError("--tls self-signed cannot be combined with --tls-cert")
        }
        if !self.acme.acme.isEmpty, self.tls != nil || self.tlsCert != nil {
            throw ValidationError("--acme cannot be combined with --tls self-signed or --tls-cert")
        }
    }

    var choice: ServiceConfiguration.TLS {
        if self.tls == .selfSigned { return .selfSigned }
        if let settings = self.acme.settings { return .acme(settings) }
        guard let certificate = self.tlsCert, let key = self.tlsKey else { return .off }
        return .files(certificate: certificate, key: key)
    }
}
