internal import Operations
internal import Pacing
internal import Vocabulary

/// How often the passwords of rooms are guessed: by one user anywhere, and by all users at one room.
///
/// A user's first guess is looked at however often others have guessed, so that guessing keeps nobody out who knows.
struct RoomGuessLimiter {
    private var users: AttemptLimiter<UserID>
    private var rooms: AttemptLimiter<RoomName>

    init() {
        self.users = AttemptLimiter(
            .init(free: 5, firstDelay: .seconds(2), maximumDelay: .seconds(60), forgetsAfter: .seconds(600)))
        self.rooms = AttemptLimiter(.init(free: 60, firstDelay: .seconds(10), maximumDelay: .seconds(10)))
    }

    /// A guess counts as wrong from its beginning.
    mutating func began(by user: UserID, at room: RoomName, _ now: Instant) throws(RequestError) {
        let isFirst = self.users.count(of: user, at: now) == 0
        if let wait = Self.wait(&self.users, user, now) { throw Self.refusal(wait) }
        guard let wait = Self.wait(&self.rooms, room, now), !isFirst else { return }
        self.users.cancelled(user)
        throw Self.refusal(wait)
    }

    /// It was no guess.
    mutating func succeeded(by user: UserID, at room: RoomName) {
        self.users.cancelled(user)
        self.rooms.cancelled(room)
    }

    private static func wait<Key>(_ limiter: inout AttemptLimiter<Key>, _ key: Key, _ now: Instant) -> Duration? {
        do throws(AttemptLimiter<Key>.Refusal) {
            try limiter.began(key, at: now)
            return nil
        } catch {
            return error.retryAfter
        }
    }

    private static func refusal(_ wait: Duration) -> RequestError {
        RequestError(.rateLimited, "too many wrong passwords", retryAfter: wait)
    }
}
