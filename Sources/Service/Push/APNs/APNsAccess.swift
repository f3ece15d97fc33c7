internal import Secure
internal import Vocabulary

/// The token that says who sends: one for all connections, made anew before its hour is over. One that was refused is
/// replaced, but not more often than Apple allows.
struct APNsAccess {
    private let key: APNsKey
    private var current: (text: String, time: Duration)?
    private var lastRefusal: Duration?

    private static let life = Duration.seconds(50 * 60)
    /// Whoever changes it more often is refused with `TooManyProviderTokenUpdates`.
    private static let minimumLife = Duration.seconds(20 * 60)

    init(_ key: APNsKey) { self.key = key }

    /// - Parameter uptime: a clock that nobody sets.
    mutating func token(at now: WallTime, _ uptime: Duration) throws(SecureError) -> String {
        if let (text, time) = self.current, uptime < time + Self.life { return text }
        let text = try self.key.token(at: now)
        self.current = (text, uptime)
        return text
    }

    /// Answers whether another attempt may go better.
    mutating func wasRefused(_ token: String, _ uptime: Duration) -> Bool {
        guard token == self.current?.text else { return true }
        if let last = self.lastRefusal, uptime < last + Self.minimumLife { return false }
        (self.current, self.lastRefusal) = (nil, uptime)
        return true
    }
}
