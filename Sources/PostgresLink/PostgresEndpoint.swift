internal import CPostgres
internal import System
internal import Vocabulary

/// One address to try, and everything libpq wants to know for it.
struct PostgresEndpoint: Hashable, Sendable {
    let host: PostgresAddress.Host
    /// Nil for the folder of a Unix socket.
    let address: IPAddress?
    let target: PostgresAddress.Target

    /// How it is called in messages.
    var name: String {
        guard let address = self.address else { return "\(self.host.name):\(self.host.port)" }
        return self.host.address == nil
            ? "\(self.host.name) (\(address)):\(self.host.port)" : "\(SocketAddress(address, port: self.host.port))"
    }

    /// In the order in which they are tried: as the URL names them, each with its addresses. Who would rather have a
    /// standby goes through them twice.
    static func all(of address: PostgresAddress, resolved: [String: [IPAddress]]) -> [PostgresEndpoint] {
        let targets: [PostgresAddress.Target] =
            address.target == .preferStandby ? [.standby, .any] : [address.target]
        return targets.flatMap { target in
            address.hosts.flatMap { host -> [PostgresEndpoint] in
                if host.isSocketFolder { return [PostgresEndpoint(host: host, address: nil, target: target)] }
                let addresses = host.address.map { [$0] } ?? resolved[host.name] ?? []
                return addresses.map { PostgresEndpoint(host: host, address: $0, target: target) }
            }
        }
    }

    func parameters(_ address: PostgresAddress, _ options: PostgresOptions) -> [(String, String)] {
        var parameters = [
            ("host", self.host.name), ("hostaddr", self.address.map { "\($0)" } ?? ""), ("port", "\(self.host.port)"),
            ("target_session_attrs", self.target.rawValue), ("sslmode", address.security.rawValue),
            ("application_name", options.applicationName), ("client_encoding", "UTF8"), ("options", options.startup),
            // Kerberos would look for its tickets, and may wait for a name server while it does.
            ("gssencmode", "disable"),
        ]
        parameters += Self.keepalives
        if let user = address.user { parameters.append(("user", user)) }
        if let password = address.password { parameters.append(("password", password)) }
        if let database = address.database { parameters.append(("dbname", database)) }
        if let authorities = address.authorities ?? (address.security.verifies ? "system" : nil) {
            parameters.append(("sslrootcert", authorities == "system" ? SystemAuthorities.file : authorities))
        }
        parameters += address.files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return parameters
    }

    /// A machine that is gone is noticed within ten seconds: idle after 3 + 2 × 2, with something on its way after 8.
    private static let keepalives = [
        ("keepalives", "1"), ("keepalives_idle", "3"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
        ("tcp_user_timeout", "8000"),
    ]
}

/// The certificate authorities that this machine trusts.
enum SystemAuthorities {
    /// As libpq's `sslrootcert`. From its version 16 on it knows a word for them.
    static var file: String {
        if let libpq = Libpq.shared, libpq.functions.libVersion() >= 160_000 { return "system" }
        let named = ProcessEnvironment.variables["SSL_CERT_FILE"].map { [$0] } ?? []
        return (named + self.places).first { FileStatus(of: $0)?.kind == .regular } ?? self.places[0]
    }

    private static let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem", "/opt/homebrew/etc/openssl@3/cert.pem",
    ]
}
