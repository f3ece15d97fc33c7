internal import Vocabulary

/// What the door keeps between requests.
final class RongCloudDesk: @unchecked Sendable {
    // Unchecked because it is used on the home loop alone.
    private var replays = RongCloudReplayGuard()
    private var rates: [RongCloudRate: [String: RongCloudRate.Window]] = [:]

    func takeOnce(_ signature: RongCloudSignature, at now: WallTime) throws(RongCloudProblem) {
        switch self.replays.take(signature, at: now) {
        case .fresh: break
        case .replayed: throw .notSigned("this request was here before: use each Nonce once")
        case .full: throw .tooMany("requests")
        }
    }

    /// - Parameter count: so many messages or requests at once.
    func take(_ count: Int = 1, of rate: RongCloudRate, _ key: String, at now: Instant) throws(RongCloudProblem) {
        var window = self.rates[rate]?[key] ?? RongCloudRate.Window(start: now)
        let wait = window.take(count, of: rate, at: now)
        self.rates[rate, default: [:]][key] = window
        guard let wait else { return }
        let most = "\(rate.maximum) in \(rate.length.components.seconds) s"
        throw .tooMany("\(rate.subject): \(most)", retryAfter: wait)
    }
}

/// How often each program may ask for what.
enum RongCloudRate: Hashable {
    case requests, privateMessages, groupMessages, systemMessages, chatRoomMessages, broadcastsAnHour, broadcastsADay,
        onlineBroadcasts

    var maximum: Int {
        switch self {
        case .requests: 1000
        case .privateMessages: 6000
        case .groupMessages: 20
        case .systemMessages, .chatRoomMessages: 100
        case .broadcastsAnHour: 2
        case .onlineBroadcasts: 60
        case .broadcastsADay: 3
        }
    }

    var length: Duration {
        switch self {
        case .requests, .groupMessages, .systemMessages, .chatRoomMessages: .seconds(1)
        case .privateMessages, .onlineBroadcasts: .seconds(60)
        case .broadcastsAnHour: .seconds(3600)
        case .broadcastsADay: .seconds(86_400)
        }
    }

    var subject: String { self == .requests ? "requests" : "messages" }

    struct Window {
        private var start: Instant
        private var used = 0

        init(start: Instant) { self.start = start }

        /// How long to wait; nil when it was taken.
        mutating func take(_ count: Int, of rate: RongCloudRate, at now: Instant) -> Duration? {
            if self.start.duration(to: now) >= rate.length {
                self.start = now
                self.used = 0
            }
            // What is more than fits into one window would never fit: it counts as all of it.
            let count = min(count, rate.maximum)
            guard self.used + count <= rate.maximum else { return rate.length - self.start.duration(to: now) }
            self.used += count
            return nil
        }
    }
}
