/// A client's answer to a challenge: signs requests and knows its server's signature (RFC 8489 §9.2.3 ff.).
package struct STUNAuthentication: Sendable {
    package let username: String
    package private(set) var challenge: STUNChallenge
    private let password: String
    private let algorithm: STUNPasswordAlgorithm
    private let key: STUNKey
    private let userHash: [UInt8]?

    /// Nil when the server knows no algorithm that we know.
    package init?(username: String, password: String, challenge: STUNChallenge) {
        guard let algorithm = challenge.algorithm else { return nil }
        self.username = OpaqueString.prepared(username)
        self.password = password
        self.challenge = challenge
        self.algorithm = algorithm
        self.key = STUNKey(
            longTerm: username, realm: challenge.realm, password: password, algorithm: algorithm)
        self.userHash =
            challenge.features.contains(.usernameAnonymity)
            ? STUNUserHash.of(username, realm: challenge.realm) : nil
    }

    /// The same account after a new challenge. The key is made anew only when it changes.
    package func answering(_ challenge: STUNChallenge) -> STUNAuthentication? {
        let isSameKey = challenge.realm == self.challenge.realm && challenge.algorithm == self.algorithm
        guard isSameKey, challenge.features == self.challenge.features else {
            return Self(username: self.username, password: self.password, challenge: challenge)
        }
        var renewed = self
        renewed.challenge = challenge
        return renewed
    }

    /// The last attributes of a request, except for a fingerprint.
    package func sign(_ writer: inout STUNWriter) {
        if let userHash = self.userHash {
            writer.append(.userHash, userHash.span)
        } else {
            writer.append(.username, text: self.username)
        }
        writer.append(.realm, text: self.challenge.realm)
        writer.append(.nonce, text: self.challenge.nonce)
        guard self.isModern else { return writer.appendIntegrity(self.key) }
        writer.append(passwordAlgorithms: self.challenge.algorithms)
        writer.append(passwordAlgorithm: self.algorithm)
        writer.appendIntegritySHA256(self.key)
    }

    /// Whether an answer comes from who knows the password (§9.2.5).
    package func accepts(_ answer: STUNMessage) -> Bool {
        answer.isAuthentic(self.key, by: self.isModern ? .sha256 : .sha1)
    }

    /// A server that offers algorithms wants SHA-256 codes and no others (§9.2.4).
    private var isModern: Bool { !self.challenge.algorithms.isEmpty }
}
