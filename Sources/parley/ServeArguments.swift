internal import Arguments
internal import Bytes
package import Client
package import Identity
internal import PostgresLink
internal import Secure
internal import Service
internal import Keeping
internal import Vocabulary

/// `--stun`: an address, or `off`.
struct STUNChoice: Hashable, Sendable, ExpressibleByArgument {
    let choice: ServiceConfiguration.STUN

    init?(argument: String) {
        if argument == "off" {
            self.choice = .off
        } else if let address = SocketAddress(argument) {
            self.choice = .at(address)
        } else {
            return nil
        }
    }

    static var valueName: String? { "ADDR:PORT" }
    static var expectation: String { "an address and a port such as 0.0.0.0:3478, or off" }
    var argumentDescription: String { "\(self.choice)" }
}

/// `--app`: a program's name, and the secret it signs with or the public half of its key pair.
struct ApplicationKeyArgument: Hashable, Sendable, ExpressibleByArgument {
    let key: ServiceConfiguration.ApplicationKey

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":"), colon > argument.startIndex else { return nil }
        let words = argument[argument.index(after: colon)...]
        guard let material = Self.material(words) else { return nil }
        self.key = ServiceConfiguration.ApplicationKey(id: String(argument[..<colon]), material)
    }

    private static let (pairPrefix, pointPrefix) = ("ed25519:", "p256:")

    private static func material(_ words: Substring) -> ServiceConfiguration.ApplicationKey.Material? {
        if words.hasPrefix(self.pairPrefix) {
            return self.key(words.dropFirst(self.pairPrefix.count), Ed25519Key.keyLength).map { .publicKey($0) }
        }
        if words.hasPrefix(self.pointPrefix) {
            return self.key(words.dropFirst(self.pointPrefix.count), P256Key.pointLength).map { .publicPoint($0) }
        }
        return .secret(String(words))
    }

    /// `openssl` writes the one alphabet, a JSON Web Key (RFC 8037) the other.
    private static func key(_ text: Substring, _ length: Int) -> [UInt8]? {
        let decoded = Base64.Alphabet.allCases.lazy.compactMap { try? Base64.decode(String(text), as: $0) }
        return decoded.first { $0.count == length }
    }

    static var valueName: String? { "ID:SECRET" }
    static var expectation: String {
        "a name, a colon and a secret of at least 32 bytes, or ed25519: or p256: and a public key in Base64"
    }
    static var isSecret: Bool { true }
    var argumentDescription: String { self.key.id }

    /// For who signs in the application's place.
    func signingKey() throws(CommandFailure) -> SigningKey {
        guard case .secret(let secret) = self.key.material else {
            throw CommandFailure("--app: a public key cannot sign; use ID:SECRET", exitCode: .usage)
        }
        do throws(SecretWeakness) {
            return try SigningKey(id: self.key.id, sharedSecret: Array(secret.utf8))
        } catch {
            throw CommandFailure("--app: \(error)", exitCode: .usage)
        }
    }
}

/// `--app-users`: how the ids of an application's users begin.
struct ApplicationPrefixArgument: Hashable, Sendable, ExpressibleByArgument {
    let id: String
    let prefix: String

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":"), colon > argument.startIndex else { return nil }
        let prefix = String(argument[argument.index(after: colon)...])
        guard UserID(prefix) != nil else { return nil }
        self.id = String(argument[..<colon])
        self.prefix = prefix
    }

    static var valueName: String? { "ID:PREFIX" }
    static var expectation: String { "a name, a colon and what the ids of its users begin with" }
    var argumentDescription: String { "\(self.id):\(self.prefix)" }
}

extension SignInMethods: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "LIST" }
    package static var expectation: String {
        "anonymous, register and applications with commas between them, all or none"
    }
    package var argumentDescription: String { self.text }
}

extension StoreDurability: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var valueName: String? { "full|normal" }
    package static var expectation: String { "full or normal" }
    package var argumentDescription: String { self.rawValue }
}

/// How many bytes: a number, with K, M, G or T behind it for 1024 of the one before.
struct ByteCount: Hashable, Sendable, ExpressibleByArgument {
    let count: Int

    private static let units = "KMGT"

    init(_ count: Int) { self.count = count }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard var count = Int(digits), let last = argument.uppercased().last else { return nil }
        if digits.count < argument.count {
            guard digits.count + 1 == argument.count, let place = Self.units.firstIndex(of: last) else { return nil }
            for _ in 0...Self.units.distance(from: Self.units.startIndex, to: place) {
                let (product, overflow) = count.multipliedReportingOverflow(by: 1024)
                guard !overflow else { return nil }
                count = product
            }
        }
        self.count = count
    }

    static var valueName: String? { "SIZE" }
    static var expectation: String { "a number of bytes such as 500M or 2G" }

    var argumentDescription: String {
        var (count, unit) = (self.count, "")
        for next in Self.units where count > 0 && count % 1024 == 0 { (count, unit) = (count / 1024, String(next)) }
        return "\(count)\(unit)"
    }
}

extension HTTPURL: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "URL" }
    package static var expectation: String { "an address such as https://example.org/hook" }
    package var argumentDescription: String { self.description }
}

extension HookSettings.Silence: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var valueName: String? { "allow|refuse" }
    package static var expectation: String { "allow or refuse" }
    package var argumentDescription: String { self.rawValue }
}

extension SecondSignIn: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var valueName: String? { Self.allCases.map(\.rawValue).joined(separator: "|") }
    package static var expectation: String { "together, replace or refuse" }
    package var argumentDescription: String { self.rawValue }
}

/// A database of its own server.
struct StoreArgument: Hashable, Sendable, ExpressibleByArgument {
    let address: PostgresAddress

    init?(argument: String) {
        guard let address = try? PostgresAddress(argument) else { return nil }
        self.address = address
    }

    static var valueName: String? { "URL" }
    static var expectation: String { "postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?sslmode=…]" }
}
