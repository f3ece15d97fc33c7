internal import HTTPServer
internal import ICEServers
internal import Identity
internal import Reactor
internal import S3
internal import Secure
internal import System
internal import Vocabulary
internal import Web

/// Looks at everything a service would begin with, without beginning anything: for an operator before a restart.
package struct ConfigurationCheck {
    package enum Severity: String, Sendable {
        case ok
        /// It works, and will not for ever or not for everybody.
        case warning
        /// The service would not start, or not do what is asked of it.
        case error
    }

    package struct Finding: Hashable, Sendable {
        package let severity: Severity
        /// The option it is about.
        package let subject: String
        package let text: String
    }

    private let configuration: ServiceConfiguration
    private var findings: [Finding] = []

    static let soon = Duration.seconds(14 * 86_400)

    /// What there is to say of each part, good or bad.
    package static func findings(of configuration: ServiceConfiguration) -> [Finding] {
        var check = ConfigurationCheck(configuration: configuration)
        check.lookAtData()
        check.lookAtSecrets()
        check.lookAtAddresses()
        check.lookAtCertificate()
        check.lookAtFiles()
        check.lookAtFileStore()
        check.lookAtProvider()
        return check.findings
    }

    private init(configuration: ServiceConfiguration) { self.configuration = configuration }

    private mutating func say(_ severity: Severity, _ subject: String, _ text: String) {
        self.findings.append(Finding(severity: severity, subject: subject, text: text))
    }

    private mutating func attempt(_ subject: String, _ good: String, _ body: () throws -> Void) {
        do {
            try body()
            self.say(.ok, subject, good)
        } catch {
            self.say(.error, subject, "\(error)")
        }
    }
}

// MARK: - The parts

extension ConfigurationCheck {
    private mutating func lookAtData() {
        let data = self.configuration.data
        guard let status = FileStatus(of: data.path) else {
            return self.say(.ok, "--data", "\(data) is not there yet, and will be made")
        }
        guard status.kind == .directory else {
            return self.say(.error, "--data", "\(DataDirectoryError(path: data.path, .notDirectory))")
        }
        guard FileSystem.allows(.all, data.path) else {
            return self.say(.error, "--data", "\(data) cannot be written to by this user")
        }
        if status.isOpenToOthers { return self.say(.warning, "--data", "others may look into \(data): chmod 700 it") }
        self.say(.ok, "--data", "\(data)\(data.hasDatabase ? "" : " is empty")")
    }

    private mutating func lookAtSecrets() {
        let (data, configuration) = (self.configuration.data, self.configuration)
        if configuration.secret == nil, data.hasDatabase || FileSystem.exists(data.path(of: ServerSecret.fileName)) {
            self.attempt("secret", "the secret is there, and only its owner reads it") {
                _ = try ServerSecret.ofDirectory(data.path, isFirst: false)
            }
        }
        guard !configuration.applications.isEmpty else { return }
        self.attempt("--app", "\(configuration.applications.count) known") { _ = try configuration.makeApplications() }
    }

    /// Those of a server that runs with these data are taken, and by the right one.
    private var isRunning: Bool {
        let data = self.configuration.data
        guard FileSystem.exists(data.path(of: "lock")) else { return false }
        do throws(DataDirectoryError) {
            _ = try data.lock()
            return false
        } catch {
            return error.reason == .inUse
        }
    }

    private mutating func lookAtAddresses() {
        let (isRunning, configuration) = (self.isRunning, self.configuration)
        let places = configuration.listen.map { ("--listen", $0) } + [("--admin", configuration.admin)]
        for (option, address) in places {
            guard !isRunning else {
                self.say(.ok, option, "\(address) (a server with these data is running)")
                continue
            }
            self.attempt(option, "\(address) is free") {
                try ListeningProbe.attempt(on: address, takesBoth: configuration.takesBoth(address))
            }
        }
        for address in configuration.listen where BlockedPorts.contains(address.port) {
            self.say(
                .warning, "--listen",
                "browsers refuse to connect to port \(address.port): choose another, unless a proxy is in front")
        }
    }

    private mutating func lookAtCertificate() {
        switch self.configuration.tls {
        case .off, .selfSigned: return
        case .files(let certificate, let key): self.lookAtFiles(certificate, key)
        case .acme(let settings):
            for finding in ACMECheck(settings, self.configuration).findings() { self.findings.append(finding) }
        }
    }

    private mutating func lookAtFiles(_ certificate: String, _ key: String) {
        do throws(SecureError) {
            _ = try TLSContext(certificateFile: certificate, keyFile: key)
            let remaining = try CertificateFile.remaining(in: certificate)
            let days = remaining.components.seconds / 86_400
            if remaining <= .zero { return self.say(.error, "--tls-cert", "\(certificate) has expired") }
            let severity: Severity = remaining < Self.soon ? .warning : .ok
            self.say(severity, "--tls-cert", "\(certificate) is good for \(days) more days")
        } catch {
            return self.say(.error, "--tls-cert", "\(error)")
        }
        if FileStatus(of: key)?.isOpenToOthers == true {
            self.say(.warning, "--tls-key", "others may read \(key): chmod 600 it")
        }
    }

    /// Asks the provider what it says of itself and for its keys, as the first sign-in does.
    private mutating func lookAtProvider() {
        guard let settings = self.configuration.openID else { return }
        do {
            let group = try EventLoopGroup(count: 1)
            defer { group.shutDown() }
            guard let (_, fetcher) = self.configuration.openIDFetcher(on: group.loops[0]) else {
                return self.say(.error, "--oidc", "\(settings.issuer) is no address")
            }
            let outcome = Locked<Result<Int, OpenIDError>?>(nil)
            let done = Gate()
            Task {
                do throws(OpenIDError) {
                    let count = try await fetcher.description(of: settings, knowing: nil).1.keys.count
                    outcome.withLock { $0 = .success(count) }
                } catch {
                    outcome.withLock { $0 = .failure(error) }
                }
                done.open()
            }
            done.wait()
            let count = try outcome.withLock { try $0?.get() } ?? 0
            self.say(.ok, "--oidc", "\(settings.issuer) answers, with \(count) keys")
        } catch {
            self.say(.error, "--oidc", "\(error)")
        }
    }

    private mutating func lookAtFileStore() {
        guard let store = self.configuration.files.store else { return }
        self.attempt("--files", "\(store.address) lets this key look into the bucket") {
            try S3Inventory(store).look()
        }
        if !store.passesThrough, !store.address.server.hasPrefix("https://"), !self.configuration.tls.isNone {
            self.say(
                .warning, "--files", "browsers load nothing without TLS into a page with it: see --files-through-server"
            )
        }
    }

    private mutating func lookAtFiles() {
        let configuration = self.configuration
        if let web = configuration.web {
            let isGood = StaticFiles.canServe(web)
            self.say(isGood ? .ok : .error, "--web", isGood ? web : "\(web): not a readable directory")
        }
        let path = configuration.iceServerFile
        guard configuration.iceServers != nil || FileSystem.exists(path) else { return }
        do throws(ICEServerFileError) {
            _ = try ICEServerKeeper.Reading(path: path, environment: configuration.environment, isRequired: true)
            self.say(.ok, "--ice-servers", path)
        } catch {
            self.say(.error, "--ice-servers", "\(path): \(error)")
        }
    }
}
