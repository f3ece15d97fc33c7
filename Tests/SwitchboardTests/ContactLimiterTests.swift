import Conversing
import Keeping
import Operations
import Testing
import Vocabulary

@testable import Switchboard

@Suite("The limit of contacts")
struct ContactLimiterTests {
    private static let now = Instant(milliseconds: 0)

    private static func outcome(
        came: [UserID], strangers: Set<UserID> = []
    ) throws -> Result<ChangeOutcome, RequestError> {
        let entry = Entry(
            number: 1, counted: 1, sort: .created, sender: try #require(UserID("a")), time: .init(seconds: 0))
        var outcome = ChangeOutcome(try #require(ConversationID("c")), ConversationKey(1), entry)
        outcome.came = came
        outcome.strangers = strangers
        return .success(outcome)
    }

    @Test("H3 has an end: conversations one user begins: direct ones, groups, rooms")
    func beginnings() throws {
        var limiter = ContactLimiter()
        let alice = try #require(UserID("alice"))
        for _ in 0..<30 {
            let claim = limiter.claim(by: alice, begins: true, bringing: [], at: Self.now)
            #expect(claim.approach.mayBegin)
            limiter.settle(claim, try Self.outcome(came: [alice]))
        }
        #expect(!limiter.claim(by: alice, begins: true, bringing: [], at: Self.now).approach.mayBegin)
        let later = Self.now + .seconds(1)
        #expect(limiter.claim(by: alice, begins: true, bringing: [], at: later).approach.mayBegin)
        #expect(!limiter.claim(by: alice, begins: true, bringing: [], at: later).approach.mayBegin)
    }

    @Test("H3 counts no message into a conversation that was there")
    func goingOn() throws {
        var limiter = ContactLimiter()
        let alice = try #require(UserID("alice"))
        for _ in 0..<100 {
            let claim = limiter.claim(by: alice, begins: true, bringing: [], at: Self.now)
            #expect(claim.approach.mayBegin)
            limiter.settle(claim, try Self.outcome(came: []))
        }
    }

    @Test("H3 have an end: groups into which one user is put by people they never wrote to")
    func groups() throws {
        var limiter = ContactLimiter()
        let (bob, carol) = (try #require(UserID("bob")), try #require(UserID("carol")))
        for number in 0..<20 {
            let creator = try #require(UserID("creator-\(number)"))
            let claim = limiter.claim(by: creator, begins: true, bringing: [bob, carol], at: Self.now)
            #expect(claim.approach.crowded.isEmpty)
            // Carol wrote to them all.
            limiter.settle(claim, try Self.outcome(came: [bob, carol], strangers: [bob]))
        }
        let last = try #require(UserID("last"))
        #expect(limiter.claim(by: last, begins: true, bringing: [bob, carol], at: Self.now).approach.crowded == [bob])
        let later = Self.now + .seconds(181)
        #expect(limiter.claim(by: last, begins: true, bringing: [bob], at: later).approach.crowded.isEmpty)
    }
}
