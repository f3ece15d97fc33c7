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

    @Option(help: "Make a self-signed certificate at start, for a trial on your own network.")
    var tls: Mode?

    func validate() throws(ValidationError) {
        if (self.tlsCert == nil) != (self.tlsKey == nil) {
            throw ValidationError("--tls-cert and --tls-key must be given together")
        }
        if self.tls != nil && self.tlsCert != nil {
            throw ValidationError("--tls self-signed cannot be combined with --tls-cert")
        }
    }

    var choice: ServiceConfiguration.TLS {
        if self.tls == .selfSigned { return .selfSigned }
        guard let certificate = self.tlsCert, let key = self.tlsKey else { return .off }
        return .files(certificate: certificate, key: key)
    }
}
