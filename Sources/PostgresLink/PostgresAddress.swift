package import Vocabulary

/// Where a PostgreSQL is and who we are to it: `postgresql://user:password@host:port,host/database?parameter=value`.
///
/// Prints without its password.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// One server: a name, an address, or the folder of a Unix socket.
    package struct Host: Hashable, Sendable {
        package let name: String
        package let port: UInt16

        package var isSocketFolder: Bool { self.name.hasPrefix("/") }
        package var address: IPAddress? { IPAddress(self.name) }
        /// Whether nobody is on the way to it.
        package var isLocal: Bool {
            self.isSocketFolder || self.name == "localhost" || self.address?.unmapped.isLoopback == true
        }
    }

    /// libpq's `sslmode`: what TLS has to prove.
    package enum Security: String, Hashable, Sendable, CaseIterable {
        case disable, allow, prefer, require
        case verifyCA = "verify-ca"
        case verifyFull = "verify-full"

        package var verifies: Bool { self == .verifyCA || self == .verifyFull }
    }

    /// libpq's `target_session_attrs`: which of several servers will do.
    package enum Target: String, Hashable, Sendable, CaseIterable {
        case any
        case readWrite = "read-write"
        case readOnly = "read-only"
        case primary, standby
        case preferStandby = "prefer-standby"
    }

    package internal(set) var hosts: [Host]
    package internal(set) var user: String?
    var password: String?
    package internal(set) var database: String?
    package internal(set) var security: Security
    package internal(set) var target: Target
    /// libpq's `sslrootcert`: a file of certificates, or `system`.
    package internal(set) var authorities: String?
    /// libpq's `sslcert`, `sslkey` and `passfile`.
    var files: [String: String]
    package internal(set) var connectTimeout: Duration?

    package var description: String {
        let user = self.user.map { "\($0)@" } ?? ""
        let hosts = self.hosts.map { host in
            let name = host.name.contains(":") ? "[\(host.name)]" : host.name
            return host.port == Self.defaultPort ? name : "\(name):\(host.port)"
        }
        return "postgresql://\(user)\(hosts.joined(separator: ","))/\(self.database ?? "")"
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    static let defaultPort: UInt16 = 5432
}

extension PostgresAddress {
    /// What is wrong with the text, in words for whoever wrote it; the password is not among them.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    package static let longest = 4096
    package static let mostHosts = 16

    package init(_ text: String) throws(Mistake) {
        guard text.utf8.count <= Self.longest else { throw Mistake("longer than \(Self.longest) bytes") }
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else {
            throw Mistake("begins with neither postgresql:// nor postgres://")
        }
        let parts = PostgresURLParts(text.dropFirst(scheme.count))
        var parameters = try Self.parameters(parts.query)
        self.user = try Self.decoded(parts.user, "the user's name") ?? parameters.removeValue(forKey: "user")
        self.password = try Self.decoded(parts.password, "the password") ?? parameters.removeValue(forKey: "password")
        self.database =
            try Self.decoded(parts.database, "the database's name") ?? parameters.removeValue(forKey: "dbname")
        self.hosts = try Self.hosts(parts.hosts, &parameters)
        self.target = try Self.choice("target_session_attrs", &parameters) ?? .readWrite
        let security: Security? = try Self.choice("sslmode", &parameters)
        self.security = security ?? (self.hosts.allSatisfy(\.isLocal) ? .prefer : .verifyFull)
        self.authorities = parameters.removeValue(forKey: "sslrootcert")
        self.connectTimeout = try Self.seconds("connect_timeout", &parameters)
        self.files = parameters.filter { Self.passedOn.contains($0.key) }
        if let unknown = parameters.keys.filter({ !Self.passedOn.contains($0) }).min() {
            throw Mistake("has a parameter that is not known: \(unknown)")
        }
    }

    private static let passedOn: Set = ["sslcert", "sslkey", "passfile"]
}

extension PostgresAddress {
    private static func decoded(_ text: Substring?, _ what: String) throws(Mistake) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard let decoded = PercentDecoding.decode(text) else {
            throw Mistake("\(what) is not percent-encoded UTF-8 without zero bytes")
        }
        return decoded
    }

    private static func parameters(_ query: Substring?) throws(Mistake) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in query?.split(separator: "&") ?? [] {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let name = try self.decoded(halves[0], "a parameter's name") else {
                throw Mistake("a parameter has to be written as name=value")
            }
            guard parameters[name] == nil else { throw Mistake("has the parameter \(name) twice") }
            parameters[name] = try self.decoded(halves[1], "the parameter \(name)") ?? ""
        }
        return parameters
    }

    private static func hosts(
        _ text: Substring, _ parameters: inout [String: String]
    ) throws(Mistake) -> [Host] {
        var hosts: [Host] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
            hosts.append(try self.host(part))
        }
        if let names = parameters.removeValue(forKey: "host") {
            guard hosts.isEmpty || (hosts.count == 1 && hosts[0].name.isEmpty) else {
                throw Mistake("names its host twice, before the database and as a parameter")
            }
            let port = try self.port((parameters.removeValue(forKey: "port"))?[...])
            hosts = names.split(separator: ",").map { Host(name: String($0), port: port) }
        }
        guard !hosts.isEmpty, hosts.allSatisfy({ !$0.name.isEmpty }) else { throw Mistake("names no host") }
        guard hosts.count <= self.mostHosts else { throw Mistake("names more than \(self.mostHosts) hosts") }
        return hosts
    }

    private static func host(_ text: Substring) throws(Mistake) -> Host {
        if text.hasPrefix("[") {
            let halves = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, IPAddress(halves[0])?.groups != nil, halves[1].isEmpty || halves[1].hasPrefix(":")
            else { throw Mistake("has brackets around something that is no IPv6 address") }
            return Host(name: String(halves[0]), port: try self.port(halves[1].isEmpty ? nil : halves[1].dropFirst()))
        }
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = try self.decoded(halves.first, "a host's name") ?? ""
        guard name.utf8.count <= 255, !name.contains(",") else { throw Mistake("has a host whose name is none") }
        return Host(name: name, port: try self.port(halves.count == 2 ? halves[1] : nil))
    }

    private static func port(_ text: Substring?) throws(Mistake) -> UInt16 {
        guard let text, !text.isEmpty else { return self.defaultPort }
        guard let port = UInt16(text), port > 0 else { throw Mistake("has a port that is not 1 to 65535") }
        return port
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ parameters: inout [String: String]
    ) throws(Mistake) -> Choice? where Choice.RawValue == String {
        guard let text = parameters.removeValue(forKey: name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw Mistake("\(name) must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    private static func seconds(_ name: String, _ parameters: inout [String: String]) throws(Mistake) -> Duration? {
        guard let text = parameters.removeValue(forKey: name) else { return nil }
        guard let seconds = Int(text), (1...600).contains(seconds) else {
            throw Mistake("\(name) must be 1 to 600 seconds")
        }
        return .seconds(seconds)
    }
}
