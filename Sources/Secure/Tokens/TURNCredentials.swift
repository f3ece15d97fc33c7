internal import Bytes
internal import Hashing
package import Vocabulary

/// A name and a password for a TURN server that end by themselves ("REST API for access to TURN services", as coturn
/// and others check it): the name carries the end, the password proves that we wrote the name.
package struct TURNCredentials: Hashable, Sendable {
    package let username: String
    package let credential: String
    package let expiry: WallTime

    /// Stolen ones are good for no longer than this.
    package static let maximumLifetime = Duration.seconds(600)

    /// - Parameters:
    ///   - seat: the seat they are for; nil for whatever the user does.
    ///   - life: at most ten minutes; a longer one is cut.
    package init(
        for user: UserID, in seat: RelaySeat? = nil, secret: [UInt8], life: Duration = Self.maximumLifetime,
        at now: WallTime
    ) {
        self.expiry = WallTime(seconds: (now + min(max(life, .zero), Self.maximumLifetime)).seconds)
        let suffix = seat.map { "\(RelaySeat.separator)\($0.text)" } ?? ""
        self.username = "\(self.expiry.seconds):\(user.text)\(suffix)"
        self.credential = Base64.encode(HMAC.code(of: self.username, key: secret, using: .sha1))
    }
}
