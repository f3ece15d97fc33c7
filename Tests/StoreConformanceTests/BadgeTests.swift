import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("The badge in the answer to a mark")
struct BadgeTests {
    @Test(
        "E04 A badge is the sum of unread messages after messages, marks, recall, mute, leaving, clearing and a sweep",
        arguments: Engine.allCases)
    func everyChange(engine: Engine) async throws {
        let inbox = try Inbox(engine)
        for _ in 1...3 { try await inbox.say(in: .direct, by: .alice) }
        #expect(try await inbox.badge() == 3)
        for _ in 1...2 { try await inbox.say(in: .group, by: .carol) }
        #expect(try await inbox.badge() == 5)
        try await inbox.say(in: .direct, by: .alice, as: "again")
        try await inbox.say(in: .direct, by: .alice, as: "again")
        #expect(try await inbox.badge() == 6, "a retry is no second message")
        #expect(try await inbox.mark(.direct, read: 2).badge == 4)
        #expect(try await inbox.mark(.direct, read: 1).badge == 4)
        _ = try await inbox.change(.direct, .recall(3), by: .alice)
        _ = try await inbox.change(.direct, .recall(1), by: .alice)
        #expect(try await inbox.badge() == 3, "of what was taken back only the unread one counts")
        try await inbox.store.ask(SetMuted(true, Inbox.Place.group.id, of: .bob)).get()
        #expect(try await inbox.badge() == 3, "what is muted waits as well")
        try await inbox.say(in: .direct, by: .bob)
        #expect(try await inbox.badge() == 2, "who says something has read the rest")
        _ = try await inbox.change(.group, .leave, by: .bob)
        #expect(try await inbox.badge() == 0)
        try await inbox.say(in: .group, by: .carol)
        try await inbox.say(in: .direct, by: .alice)
        #expect(try await inbox.badge() == 1, "nothing waits where one is no member")
        _ = try await inbox.store.ask(ClearHistory(of: Inbox.Place.direct.id, for: .bob)).get()
        #expect(try await inbox.badge() == 0)
        for _ in 1...2 { try await inbox.say(in: .direct, by: .alice) }
        #expect(try await inbox.badge() == 2)
        #expect(try await inbox.sweep() > 0)
        #expect(try await inbox.badge() == 1, "only the latest entry outlives a sweep")
    }

    @Test(
        "E04 A badge is the sum of unread messages, whatever happens in which order", arguments: Engine.allCases, 1...4)
    func anyOrder(engine: Engine, seed: UInt64) async throws {
        let inbox = try Inbox(engine)
        var random = SeededRandom(seed: seed)
        for place in Inbox.Place.allCases { try await inbox.say(in: place, by: .alice) }
        for step in 0..<120 {
            try await inbox.anything(using: &random)
            let badge = try await inbox.badge()
            #expect(badge == (try await inbox.views().map(\.unread).reduce(0, +)), "step \(step)")
        }
    }
}

/// What waits for Bob: what Alice writes to him, and a group with Alice and Carol.
private struct Inbox {
    enum Place: String, CaseIterable {
        case direct, group

        var id: ConversationID { ConversationID(self.rawValue) ?? { preconditionFailure("no id") }() }
    }

    let store: TestStore
    private let phone: DeviceID

    init(_ engine: Engine) throws {
        self.store = try TestStore(engine)
        self.phone = try #require(DeviceID("phone"))
    }

    func found() async throws {
        _ = try await self.store.ask(
            CreationRequest(Place.group.id, .group, by: .alice, with: [.bob, .carol], at: Self.now))
    }

    static let now = WallTime(seconds: 1_700_000_000)

    func change(
        _ place: Place, _ change: ConversationChange, by user: UserID, as client: String? = nil
    ) async throws -> Verdict<ChangeOutcome> {
        let other: UserID = user == .bob ? .alice : .bob
        let address: ConversationAddress = place == .direct ? .user(other, new: place.id) : .id(place.id)
        return try await self.store.ask(
            ChangeRequest(address, change, by: user, as: client.flatMap { MessageID($0) }, at: Self.now))
    }

    func say(in place: Place, by user: UserID, as client: String? = nil) async throws {
        if place == .group { try await self.found() }
        let body = MessageBody(proven: Array(#"{"text":"x"}"#.utf8))
        _ = try await self.change(place, .post(Draft(.text, body)), by: user, as: client)
    }

    func mark(_ place: Place, delivered: UInt64? = nil, read: UInt64? = nil) async throws -> Marked {
        try await self.store.ask(
            MarkRequest(place.id, of: .bob, on: self.phone, delivered: delivered, read: read, at: Self.now)
        ).get()
    }

    /// As the answer to a mark says it that changes nothing.
    func badge() async throws -> UInt64 { try await self.mark(.direct, delivered: 1).badge }

    func views() async throws -> [ConversationView] {
        try await self.store.ask(ListConversations(of: .bob, before: nil, limit: 10)).views
    }

    func sweep() async throws -> Int {
        try await self.store.ask(EntrySweep(at: Self.now + .seconds(86_400), usual: .seconds(60))).count
    }

    func anything(using random: inout SeededRandom) async throws {
        let place: Place = Bool.random(using: &random) ? .direct : .group
        let user = [UserID.alice, .bob, place == .group ? .carol : .alice].randomElement(using: &random) ?? .alice
        let number = UInt64.random(in: 1...20, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5: try await self.say(in: place, by: user)
        case 5..<7:
            let request = MarkRequest(place.id, of: .bob, on: self.phone, read: number, at: Self.now)
            _ = try await self.store.ask(request)
        case 7..<9: _ = try await self.change(place, .recall(number), by: user)
        case 9: _ = try await self.change(.group, .leave, by: user)
        case 10: _ = try await self.change(.group, .invite([.bob, .carol]), by: .alice)
        default: _ = try await self.store.ask(ClearHistory(of: place.id, for: .bob))
        }
    }
}
