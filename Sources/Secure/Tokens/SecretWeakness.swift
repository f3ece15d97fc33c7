/// Why a text is no good as a secret: it could be found by trying.
package enum SecretWeakness: Error, Hashable, Sendable, CustomStringConvertible {
    /// HMAC-SHA256 wants a key as long as its output (RFC 7518 §3.2).
    case tooShort(bytes: Int)
    /// It stands in documentation, or on a list of favourites.
    case wellKnown(String)
    /// The same few characters over and over.
    case tooRegular

    package static let minimumLength = 32

    package var description: String { self.words(trying: "openssl rand -base64 48") }

    /// - Parameter command: what prints a better one.
    package func words(trying command: String) -> String {
        let fault =
            switch self {
            case .tooShort(let bytes): "has \(bytes) bytes and needs \(Self.minimumLength)"
            case .wellKnown(let words): "contains \"\(words)\", which is public"
            case .tooRegular: "repeats itself and can be guessed"
            }
        return "the secret \(fault): try `\(command)`"
    }

    /// What is wrong with `secret`, or nil.
    package static func found(in secret: [UInt8]) -> SecretWeakness? {
        guard secret.count >= Self.minimumLength else { return .tooShort(bytes: secret.count) }
        let letters = secret.map { (65...90).contains($0) ? $0 + 32 : $0 }
        if let words = Self.examples.first(where: { Self.contains(letters, $0) }) { return .wellKnown(words) }
        return Self.isRegular(secret) ? .tooRegular : nil
    }

    /// Lower case. None is so short that a random secret would contain it in a thousand years.
    private static let examples = [
        "secretsecret", "your-256-bit", "your-512-bit", "your_jwt", "your-secret", "your_secret", "yoursecret",
        "my-secret", "my_secret", "mysecret", "change-me", "change_me", "changeme", "changeit", "replace-me",
        "replace_me", "replaceme", "password", "letmein", "qwertyuiop", "example", "supersecret", "super-secret",
        "super_secret", "topsecret", "default", "insecure", "openim123", "abcdefghij", "0123456789", "1234567890",
    ]

    private static func contains(_ letters: [UInt8], _ words: String) -> Bool {
        let words = Array(words.utf8)
        return letters.indices.dropLast(words.count - 1).contains { letters[$0...].starts(with: words) }
    }

    /// Fewer than ten different bytes, or a short piece said again and again. Random hexadecimal passes.
    private static func isRegular(_ secret: [UInt8]) -> Bool {
        guard Set(secret).count >= 10 else { return true }
        return (1..<min(24, secret.count)).contains { period in
            secret.indices.dropFirst(period).allSatisfy { secret[$0] == secret[$0 - period] }
        }
    }
}
