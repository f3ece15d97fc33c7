internal import STUN
internal import Vocabulary

/// Finds out who sent a request (RFC 8489 §9.2).
struct TURNEntrance: Sendable {
    private let realm: String
    private let passwords: PasswordCheck
    private let nonces: NonceKey

    private static let algorithms = [STUNPasswordAlgorithm.sha256.rawValue, STUNPasswordAlgorithm.md5.rawValue]

    init(_ settings: TURNServerSettings, at now: Instant, using random: inout some RandomNumberGenerator) {
        self.realm = settings.realm
        self.passwords = PasswordCheck(realm: settings.realm, secrets: settings.secrets)
        self.nonces = NonceKey(using: &random, at: now)
    }

    /// §9.2.4, in its order.
    ///
    /// - Parameter allocation: what the client has already.
    func proof(
        of message: STUNMessage, from client: SocketAddress, with allocation: Allocation?, at now: Instant,
        _ wall: WallTime
    ) throws(TURNRefusal) -> RequestProof {
        guard message.hasIntegrity else { throw TURNRefusal(code: .unauthenticated, isChallenge: true) }
        guard let username = message.text(of: .username), message.text(of: .realm) != nil,
            let nonce = message.text(of: .nonce)
        else { throw TURNRefusal(code: .badRequest) }
        guard self.nonces.accepts(nonce, from: client, at: now) else {
            throw TURNRefusal(code: .staleNonce, isChallenge: true)
        }
        guard message.has(.passwordAlgorithm) == message.has(.passwordAlgorithms),
            !message.has(.passwordAlgorithms) || message.passwordAlgorithms == Self.algorithms
        else { throw TURNRefusal(code: .badRequest) }
        // A name that has ended still keeps what it has: a call may take longer than the ten minutes that names last.
        guard allocation?.username == username || PasswordCheck.isCurrent(username, at: wall),
            let proof = self.passwords.proof(of: message, by: username)
        else { throw TURNRefusal(code: .unauthenticated, isChallenge: true) }
        if let allocation, allocation.username != username { throw TURNRefusal(code: .wrongCredentials) }
        return proof
    }

    /// What a client needs for its next attempt.
    func challenge(_ client: SocketAddress, at now: Instant, in answer: inout STUNWriter) {
        answer.append(.realm, text: self.realm)
        answer.append(.nonce, text: self.nonces.nonce(for: client, at: now))
        answer.append(passwordAlgorithms: Self.algorithms)
    }
}
