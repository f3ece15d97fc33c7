import Conversing
import Keeping
import Operations
import Testing
import Vocabulary

@testable import Switchboard

@Suite("The quota of messages")
struct MessageQuotaTests {
    private static let now = Instant(milliseconds: 0)
    private static let alice = UserID("alice") ?? { preconditionFailure("no user id") }()
    private static let bob = UserID("bob") ?? { preconditionFailure("no user id") }()

    private static func settings() -> ConversationSettings {
        var settings = ConversationSettings()
        settings.maximumBodyBytes = 1000
        settings.maximumDailyBytes = 8640
        return settings
    }

    private static func body(_ bytes: Int) -> MessageBody {
        MessageBody(proven: [UInt8](repeating: 0x20, count: bytes))
    }

    private static func request(_ bytes: Int, by user: UserID = alice) throws -> ChangeRequest {
        let id = try #require(ConversationID("c"))
        return ChangeRequest(.id(id), .post(Draft(.text, Self.body(bytes))), by: user, at: WallTime(seconds: 0))
    }

    private static func outcome(_ bytes: Int, isRepeated: Bool = false) throws -> Result<ChangeOutcome, RequestError> {
        var entry = Entry(number: 1, counted: 1, sort: .message, sender: Self.alice, time: WallTime(seconds: 0))
        entry.body = Self.body(bytes).json
        var outcome = ChangeOutcome(try #require(ConversationID("c")), ConversationKey(1), entry)
        outcome.isRepeated = isRepeated
        return .success(outcome)
    }

    @Test("M8 has an end, and others go on: what one user says in a day")
    func day() throws {
        var quota = MessageQuota(Self.settings())
        for _ in 0..<8 {
            let claim = try quota.claim(try Self.request(824), at: Self.now)
            #expect(claim.bytes == 1080)
            quota.settle(claim, try Self.outcome(824))
        }
        let error = #expect(throws: RequestError.self) { try quota.claim(try Self.request(0), at: Self.now) }
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(2560))
        _ = try quota.claim(try Self.request(824, by: Self.bob), at: Self.now)
        _ = try quota.claim(try Self.request(0), at: Self.now + .seconds(2560))
    }

    @Test("M8 counts nothing that was not written, and of what is forwarded what it is")
    func whatIsWritten() throws {
        var quota = MessageQuota(Self.settings())
        for _ in 0..<100 {
            let claim = try quota.claim(try Self.request(824), at: Self.now)
            quota.settle(claim, .failure(RequestError(.blocked, "")))
            let again = try quota.claim(try Self.request(824), at: Self.now)
            quota.settle(again, try Self.outcome(824, isRepeated: true))
        }
        var forward = try Self.request(2)
        forward.original = (try #require(ConversationID("d")), 1)
        for _ in 0..<8 {
            let claim = try quota.claim(forward, at: Self.now)
            #expect(claim.bytes == 1256)
            quota.settle(claim, try Self.outcome(600))
        }
        #expect(throws: RequestError.self) {
            for _ in 0..<2 { _ = try quota.claim(forward, at: Self.now) }
        }
    }
}
