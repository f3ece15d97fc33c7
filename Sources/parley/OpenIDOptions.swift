internal import Arguments
internal import Client
internal import Identity
internal import Vocabulary

/// Signing in at a provider of OpenID Connect, as options of `serve`.
struct OpenIDOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "OpenID Connect provider that users may sign in at, as it calls itself, such as https://id.example.org.",
            valueName: "ISSUER"))
    var oidc: String?

    @Option(help: ArgumentHelp("Name under which the provider knows this server.", valueName: "ID"))
    var oidcClientID: String?

    @Option(
        help: ArgumentHelp(
            "Secret that the provider issued with that name; better in a file or the environment, since other users of the machine can read command lines.",
            valueName: "SECRET"))
    var oidcClientSecret: String?

    @Option(help: ArgumentHelp("File with that secret.", valueName: "FILE"), completion: .file)
    var oidcClientSecretFile: String?

    @Option(help: ArgumentHelp("Scopes to request from the provider, separated by spaces.", valueName: "SCOPES"))
    var oidcScope = "openid profile"

    @Option(help: ArgumentHelp("Label of the sign-in button.", valueName: "TEXT"))
    var oidcLabel: String?

    @Option(help: ArgumentHelp("Claim that becomes the name of a new user.", valueName: "CLAIM"))
    var oidcNameClaim = "name"

    @Option(
        help: ArgumentHelp(
            "Private network that other people's URLs may lead to, such as 10.0.0.0/8.",
            valueName: "NET"))
    var outgoingAllow: [IPNetwork] = []

    private static let maximumLabelLength = 64

    func validate() throws(ValidationError) {
        guard let issuer = self.oidc else {
            guard self.oidcClientID == nil, self.oidcClientSecret == nil, self.oidcClientSecretFile == nil else {
                throw ValidationError(
                    "--oidc-client-id and --oidc-client-secret need --oidc with the provider's address")
            }
            return
        }
        guard let url = HTTPURL(issuer), !issuer.contains("?") else {
            throw ValidationError("--oidc \(issuer): should be the provider's address, such as https://id.example.org")
        }
        if !url.server.isEncrypted, !url.server.isOnThisMachine {
            throw ValidationError("--oidc \(issuer): without TLS (https://) only a provider on this machine is asked")
        }
        guard let id = self.oidcClientID, !id.isEmpty else {
            throw ValidationError(
                "--oidc needs --oidc-client-id, which the provider gives when this server is registered there")
        }
        if self.oidcClientSecret != nil, self.oidcClientSecretFile != nil {
            throw ValidationError("--oidc-client-secret and --oidc-client-secret-file say the same; one is enough")
        }
        if !self.scopes.contains("openid") {
            throw ValidationError("--oidc-scope \(self.oidcScope): has to contain openid")
        }
        if let label = self.oidcLabel, !(1...Self.maximumLabelLength).contains(label.count) {
            throw ValidationError("--oidc-label has 1 to \(Self.maximumLabelLength) characters")
        }
        _ = try self.secret()
    }

    private var scopes: [String] { self.oidcScope.split(separator: " ").map(String.init) }

    private func secret() throws(ValidationError) -> String? {
        guard let path = self.oidcClientSecretFile else { return self.oidcClientSecret }
        do {
            let line = try TextFile.read(path).split(whereSeparator: \.isNewline).first
            guard let line else { throw ValidationError("--oidc-client-secret-file \(path): it is empty") }
            return String(line)
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("--oidc-client-secret-file \(path): \(error)")
        }
    }

    var settings: OpenIDSettings? {
        guard let issuer = self.oidc, let id = self.oidcClientID else { return nil }
        var settings = OpenIDSettings(issuer: issuer, clientID: id)
        settings.clientSecret = (try? self.secret()) ?? nil
        settings.scopes = self.scopes
        settings.label = self.oidcLabel
        settings.nameClaim = self.oidcNameClaim
        return settings
    }
}

extension ServerURL {
    var isOnThisMachine: Bool {
        switch self.host {
        case .address(let ip): ip.isLoopback
        case .name(let name): name == "localhost"
        }
    }
}
