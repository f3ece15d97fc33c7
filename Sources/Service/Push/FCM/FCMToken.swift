/// Names one installation of a program to Firebase Cloud Messaging. Among endpoints it begins with `fcm:`, so that it takes
/// the place of none of another kind.
struct FCMToken: Hashable, Sendable {
    let text: String

    static let maximumBytes = 1000
    private static let scheme = "fcm:"

    init(_ text: String) throws(PushRefusal) {
        guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw PushRefusal("the token must have 1 to \(Self.maximumBytes) letters of ASCII")
        }
        self.text = text
    }

    /// Nil for an endpoint of another kind.
    init?(endpoint: String) {
        guard endpoint.hasPrefix(Self.scheme) else { return nil }
        self.text = String(endpoint.dropFirst(Self.scheme.count))
    }

    var endpoint: String { Self.scheme + self.text }
}
