internal import Bytes
internal import Hashing
internal import STUN
internal import Vocabulary

/// Who sent a request, proven by the password that belongs to the name (RFC 8489 §9.2.4).
struct RequestProof: Sendable {
    let username: String
    let key: STUNKey
    /// The user that the name was made for.
    let user: String
    /// The seat that it is good for; nil where it is good for whatever the user does.
    let seat: RelaySeat?
    /// Answers are signed as the request was.
    let integrity: STUNMessage.Integrity

    func sign(_ answer: inout STUNWriter) {
        switch self.integrity {
        case .sha1: answer.appendIntegrity(self.key)
        case .sha256: answer.appendIntegritySHA256(self.key)
        }
    }
}

/// Why a request is answered with another question, or not at all.
struct TURNRefusal: Error {
    let code: STUNErrorCode
    var reason = ""
    /// Attributes that must be understood and are not.
    var unknown: [STUNAttributeType] = []
    /// What the client needs for its next attempt.
    var isChallenge = false
}

/// Checks the passwords that `TURNCredentials` makes: the name tells when it ends and whose it is.
struct PasswordCheck: Sendable {
    let realm: String
    /// The first is ours, others are those of applications.
    let secrets: [[UInt8]]

    /// The user a name was made for; empty when it is not one of these names.
    private static func user(of username: String) -> Substring {
        guard let colon = username.firstIndex(of: ":") else { return "" }
        return username[username.index(after: colon)...]
    }

    /// Only our own names say for which seat they are.
    private static func seated(_ user: Substring) -> (user: String, seat: RelaySeat?) {
        guard let end = user.lastIndex(of: RelaySeat.separator) else { return (String(user), nil) }
        return (String(user[..<end]), RelaySeat(text: String(user[user.index(after: end)...])))
    }

    static func isCurrent(_ username: String, at wall: WallTime) -> Bool {
        let digits = username.prefix { $0 != ":" }
        guard digits.utf8.count <= 12, let end = Int64(digits) else { return false }
        return wall.seconds < end
    }

    /// The proof of a request that is signed; which of the secrets it was signed with is found by trying.
    func proof(of message: STUNMessage, by username: String) -> RequestProof? {
        let algorithm = STUNPasswordAlgorithm(rawValue: message.passwordAlgorithm ?? STUNPasswordAlgorithm.md5.rawValue)
        guard let algorithm else { return nil }
        let integrity: STUNMessage.Integrity = message.has(.sha256) ? .sha256 : .sha1
        for (index, secret) in self.secrets.enumerated() {
            let password = Base64.encode(HMAC.code(of: username, key: secret, using: .sha1))
            let key = STUNKey(longTerm: username, realm: self.realm, password: password, algorithm: algorithm)
            if message.isAuthentic(key, by: integrity) {
                let whole = Self.user(of: username)
                let (user, seat) = index == 0 ? Self.seated(whole) : (String(whole), nil)
                return RequestProof(
                    username: username, key: key, user: user, seat: seat, integrity: integrity)
            }
        }
        return nil
    }
}
