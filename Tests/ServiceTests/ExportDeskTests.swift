import Operations
import Testing
import Vocabulary

@testable import Service

@Suite("The desk of exports")
struct ExportDeskTests {
    private static func refusal(_ desk: ExportDesk, _ user: UserID, at now: Instant) -> RequestError? {
        do throws(RequestError) {
            try desk.begin(user, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("A17 Exports have a bound: exports of one user")
    func ofOne() throws {
        let (desk, user) = (ExportDesk(), try #require(UserID("alice")))
        var now = Instant(milliseconds: 1_000_000)
        for _ in 0..<3 {
            #expect(Self.refusal(desk, user, at: now) == nil)
            #expect(Self.refusal(desk, user, at: now)?.code == .rateLimited, "one at a time")
            desk.end(user)
        }
        let refusal = try #require(Self.refusal(desk, user, at: now))
        #expect(refusal.code == .rateLimited && refusal.retryAfter == .seconds(60))
        now = now + .seconds(60)
        #expect(Self.refusal(desk, user, at: now) == nil)
    }

    @Test("A17 Exports have a bound: exports at once")
    func ofAll() throws {
        let desk = ExportDesk()
        let users = try (0...ExportDesk.maximumAtOnce).map { try #require(UserID("user-\($0)")) }
        let now = Instant(milliseconds: 0)
        for user in users.dropLast() { #expect(Self.refusal(desk, user, at: now) == nil) }
        #expect(Self.refusal(desk, users[users.count - 1], at: now)?.code == .unavailable)
        desk.end(users[0])
        #expect(Self.refusal(desk, users[users.count - 1], at: now) == nil)
    }
}
