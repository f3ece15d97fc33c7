import Operations
import Testing
import Vocabulary

@testable import Switchboard

@Suite("The limit of guessing rooms' passwords")
struct RoomGuessLimiterTests {
    private static func user(_ number: Int) throws -> UserID { try #require(UserID("user-\(number)")) }

    @Test("Guessing makes a user wait twice as long each time: wrong passwords of one user, in all rooms")
    func users() throws {
        var (limiter, now) = (RoomGuessLimiter(), Instant(milliseconds: 0))
        let (user, room, own) = (try Self.user(1), try #require(RoomName("room")), try #require(RoomName("own")))
        for _ in 0..<5 { try limiter.began(by: user, at: room, now) }
        for wait in [2, 4, 8, 16, 32, 60, 60] {
            #expect(throws: RequestError(.rateLimited, "too many wrong passwords", retryAfter: .seconds(wait))) {
                try limiter.began(by: user, at: own, now)
            }
            now = now + .seconds(wait)
            // A right password for a room of one's own does not make one forget the wrong ones.
            try limiter.began(by: user, at: own, now)
            limiter.succeeded(by: user, at: own)
            now = now + .seconds(wait)
            try limiter.began(by: user, at: room, now)
        }
        now = now + .seconds(600)
        for _ in 0..<5 { try limiter.began(by: user, at: room, now) }
    }

    @Test("Guessing by many leaves each a first guess: wrong passwords at one room")
    func rooms() throws {
        var (limiter, now) = (RoomGuessLimiter(), Instant(milliseconds: 0))
        let room = try #require(RoomName("room"))
        for number in 0..<60 { try limiter.began(by: Self.user(number / 5), at: room, now) }
        let late = try Self.user(100)
        try limiter.began(by: late, at: room, now)
        #expect(throws: RequestError(.rateLimited, "too many wrong passwords", retryAfter: .seconds(10))) {
            try limiter.began(by: late, at: room, now)
        }
        try limiter.began(by: late, at: try #require(RoomName("other")), now)
        now = now + .seconds(10)
        try limiter.began(by: late, at: room, now)
    }
}
