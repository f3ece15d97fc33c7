internal import Bytes
internal import Hashing
internal import Vocabulary

/// The token of clients that know only one, shaped as a UUID: the same at every login until it ends.
///
/// It follows from the user, a counter and the server's secret, so it can be said again without being kept.
struct LegacyToken: Hashable, Sendable {
    let text: String

    init(of user: UserID, version: Int64, key: [UInt8]) {
        self.text = UUIDText.write(Array(HMAC.code(of: "\(user.text)\n\(version)", key: key).prefix(16)))
    }

    /// What the store finds it by.
    static func hash(_ text: String) -> [UInt8] { Digest.sha256.hash(text) }

    var hash: [UInt8] { Self.hash(self.text) }
}
