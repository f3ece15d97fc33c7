internal import JSON
package import Vocabulary

/// By which Apple's push service knows whoever sends: a key of P-256 with its name, and the team it belongs to.
package struct APNsKey: Sendable {
    private let key: P256Key
    private let keyID: String
    private let team: String

    private static let idLength = 10

    /// - Parameter pem: the `.p8` file as Apple gives it out.
    package init(pem: [UInt8], keyID: String, team: String) throws(SecureError) {
        for id in [keyID, team] where !Self.isID(id) {
            throw SecureError("reading a key for APNs", reason: "'\(id)' should be \(Self.idLength) letters and digits")
        }
        self.key = try P256Key(pem: pem)
        self.keyID = keyID
        self.team = team
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == Self.idLength
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    }

    /// Good for an hour from now, for all connections.
    package func token(at now: WallTime) throws(SecureError) -> String {
        let header = JSONWriter.bytes { $0.fields(("alg", "ES256"), ("kid", self.keyID)) }
        let claims = JSONWriter.object { json in
            json.field("iss", self.team)
            json.field("iat", Int(now.seconds))
        }
        return try self.key.webToken(header, claims)
    }
}
