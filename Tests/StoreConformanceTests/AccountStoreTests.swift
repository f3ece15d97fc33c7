import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("The store of accounts")
struct AccountStoreTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private func user(_ id: UserID, _ name: String? = nil) throws -> StoredUser {
        StoredUser(
            id: id, name: try name.map { try UserName($0) }, passwordHash: "hash", displayName: DisplayName("爱丽丝"),
            avatar: AvatarLink("images/1.png"), created: Self.now)
    }

    @Test("brings back a user as it was added: by id, by name, among others", arguments: Engine.allCases)
    func roundTrip(engine: Engine) async throws {
        let store = try TestStore(engine)
        let alice = try self.user(.alice, "Alice_1")
        let anonymous = StoredUser(id: .bob, created: Self.now)
        #expect(try await store.ask(AddUser(alice)) == .added)
        #expect(try await store.ask(AddUser(anonymous)) == .added)
        #expect(try await store.ask(FindUser.id(.alice)) == alice)
        #expect(try await store.ask(FindUser.id(.bob)) == anonymous)
        let name = try UserName("Alice_1")
        #expect(try await store.ask(FindUser.name(name)) == alice)
        let nobody = try #require(UserID("nobody"))
        #expect(try await store.ask(FindUser.id(nobody)) == nil)
    }

    @Test(
        "gives a name once, whatever its letters' case, and finds it only as it was registered",
        arguments: Engine.allCases)
    func uniqueNames(engine: Engine) async throws {
        let store = try TestStore(engine)
        let first = try self.user(.alice, "Alice")
        let second = try self.user(.bob, "aLICE")
        #expect(try await store.ask(AddUser(first)) == .added)
        #expect(try await store.ask(AddUser(second)) == .nameTaken)
        let third = try self.user(.alice, "Other")
        #expect(try await store.ask(AddUser(third)) == .idTaken)
        let other = try UserName("alice")
        #expect(try await store.ask(FindUser.name(other)) == nil)
    }

    @Test("lists everybody with a name, page by page", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let store = try TestStore(engine)
        for number in 0..<25 {
            let id = try #require(UserID("u\(number)"))
            let user = try self.user(id, number.isMultiple(of: 5) ? nil : "name\(100 + number)")
            _ = try await store.ask(AddUser(user))
        }
        var names: [String] = []
        var page = try await store.ask(ListUsers(after: "", limit: 7))
        while let last = page.last?.name?.text {
            names += page.compactMap { $0.name?.text }
            page = try await store.ask(ListUsers(after: last, limit: 7))
        }
        #expect(names == (0..<25).filter { !$0.isMultiple(of: 5) }.map { "name\(100 + $0)" })
        #expect(try await store.ask(ListUsers(after: "", limit: -1)) == [])
    }

    @Test(
        "changes passwords and long-lived tokens, and says when there is nobody to change", arguments: Engine.allCases)
    func changes(engine: Engine) async throws {
        let store = try TestStore(engine)
        let token = LongLivedToken(version: 1, hash: [1, 2, 3], expiry: Self.now + .seconds(60))
        let user = try self.user(.alice, "Alice")
        _ = try await store.ask(AddUser(user, token))
        #expect(try await store.ask(FindLongLivedToken(of: .alice)) == token)
        #expect(try await store.ask(FindUser.tokenHash([1, 2, 3], at: Self.now))?.id == .alice)
        #expect(try await store.ask(FindUser.tokenHash([1, 2, 3], at: token.expiry)) == nil)
        let next = LongLivedToken(version: 2, hash: [4], expiry: Self.now + .seconds(90))
        #expect(try await store.ask(SetCredential(.token(next), of: .alice)))
        #expect(try await store.ask(FindUser.tokenHash([1, 2, 3], at: Self.now)) == nil)
        #expect(try await store.ask(SetCredential(.passwordHash("new"), of: .alice)))
        let alice = try await store.ask(FindUser.id(.alice))
        #expect(alice?.passwordHash == "new")
        #expect(alice?.displayName == user.displayName && alice?.avatar == user.avatar)
        #expect(try await !store.ask(SetCredential(.passwordHash("new"), of: .bob)))
        #expect(try await store.ask(FindLongLivedToken(of: .bob)) == nil)
    }

    @Test("remembers who and what is held back for as long as it matters", arguments: Engine.allCases)
    func restrictions(engine: Engine) async throws {
        let store = try TestStore(engine)
        let banned = Restriction(user: .alice, bannedUntil: Self.now + .seconds(100))
        let signedOut = Restriction(user: .bob, notBefore: Self.now)
        let token = RevokedToken(id: "t", expiry: Self.now + .seconds(50))
        for restriction in [banned, signedOut] { try await store.ask(SetRestriction(restriction)) }
        for _ in 0..<2 { try await store.ask(RevokeToken(token)) }
        let before = try await store.ask(RecallRestrictions(at: Self.now, tokensSince: Self.now))
        #expect(Set(before.0) == [banned, signedOut] && before.1 == [token])
        let later = Self.now + .seconds(50)
        let after = try await store.ask(RecallRestrictions(at: later, tokensSince: later))
        #expect(after.0 == [banned] && after.1 == [])
        try await store.ask(SetRestriction(Restriction(user: .alice)))
        #expect(try await store.ask(RecallRestrictions(at: Self.now, tokensSince: Self.now)).0 == [])
    }

    @Test("keeps the calls of both sides, newest first, each once", arguments: Engine.allCases)
    func calls(engine: Engine) async throws {
        let store = try TestStore(engine)
        var random = SeededRandom(seed: 1)
        var calls: [StoredCall] = []
        for number: Int64 in 0..<10 {
            let call = StoredCall(
                id: CallID(using: &random), caller: number < 5 ? .alice : .bob, callee: number < 5 ? .bob : .alice,
                kind: "audio", started: WallTime(milliseconds: number), answered: number < 3 ? nil : Self.now,
                ended: Self.now, outcome: "completed")
            calls.append(call)
            for _ in 0..<2 { try await store.ask(RecordCall(call)) }
        }
        let all = try await store.ask(ListCalls(of: .alice, before: Self.now, limit: 100))
        #expect(all == calls.reversed())
        let some = try await store.ask(ListCalls(of: .bob, before: WallTime(milliseconds: 6), limit: 3))
        #expect(some == [calls[5], calls[4], calls[3]])
    }

    @Test("keeps a call for as long as two talk in it, and no longer", arguments: Engine.allCases)
    func callsUnderWay(engine: Engine) async throws {
        let store = try TestStore(engine)
        var random = SeededRandom(seed: 2)
        let calls = (0..<2).map { _ in
            CallUnderWay(
                id: CallID(using: &random), caller: .alice, on: SessionID(using: &random), callee: .bob,
                on: SessionID(using: &random), kind: "audio", started: WallTime(milliseconds: 1), answered: Self.now)
        }
        for call in calls + calls { try await store.ask(KeepCall(call)) }
        #expect(Set(try await store.ask(ListCallsUnderWay())) == Set(calls))
        let end = StoredCall(
            id: calls[0].id, caller: .alice, callee: .bob, kind: "audio", started: WallTime(milliseconds: 1),
            answered: Self.now, ended: Self.now, outcome: "completed")
        try await store.ask(RecordCall(end))
        #expect(try await store.ask(ListCallsUnderWay()) == [calls[1]])
    }

    @Test("forgets the calls that ended long ago, and says how many", arguments: Engine.allCases)
    func oldCalls(engine: Engine) async throws {
        let store = try TestStore(engine)
        var random = SeededRandom(seed: 2)
        for second: Int64 in 0..<10 {
            let call = StoredCall(
                id: CallID(using: &random), caller: .alice, callee: .bob, kind: "audio", started: WallTime(seconds: 0),
                answered: nil, ended: WallTime(seconds: second), outcome: "declined")
            try await store.ask(RecordCall(call))
        }
        #expect(try await store.ask(ForgetCalls(endedBefore: WallTime(seconds: 4))) == 4)
        let left = try await store.ask(ListCalls(of: .alice, before: Self.now, limit: 100))
        #expect(Set(left.map(\.ended.seconds)) == Set(4..<10))
        #expect(try await store.ask(ForgetCalls(endedBefore: WallTime(seconds: 4))) == 0)
    }
}

@Suite("A family of refresh tokens")
struct RefreshFamilyTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let end = now + .seconds(1000)

    private func started(_ engine: Engine) async throws -> (TestStore, RandomToken) {
        let store = try TestStore(engine)
        var random = SeededRandom(seed: 3)
        let id = RandomToken(using: &random)
        let family = RefreshFamily(id: id, user: .alice, current: [0], expiry: Self.end)
        try await store.ask(BeginRefreshFamily(family, at: Self.now))
        return (store, id)
    }

    private func present(
        _ hash: UInt8, then next: UInt8, of id: RandomToken, to store: TestStore, at now: WallTime = now
    ) async throws -> RefreshOutcome {
        let presentation = RefreshPresentation(
            family: id, hash: [hash], nextHash: [next], nextExpiry: Self.end, now: now)
        return try await store.ask(presentation)
    }

    @Test("goes on from token to token, each good once", arguments: Engine.allCases)
    func rotates(engine: Engine) async throws {
        let (store, id) = try await self.started(engine)
        for number: UInt8 in 0..<10 {
            #expect(try await self.present(number, then: number + 1, of: id, to: store) == .followed(.alice, nil))
        }
        #expect(try await self.present(3, then: 99, of: id, to: store) == .reused(.alice))
        #expect(try await self.present(10, then: 99, of: id, to: store) == .unknown)
    }

    @Test("survives a lost answer: the token before is good until its successor was used", arguments: Engine.allCases)
    func lostAnswer(engine: Engine) async throws {
        let (store, id) = try await self.started(engine)
        #expect(try await self.present(0, then: 1, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(0, then: 2, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(2, then: 3, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(0, then: 4, of: id, to: store) == .reused(.alice))
    }

    @Test("ends for both when a thief uses the token before its owner's next one", arguments: Engine.allCases)
    func theft(engine: Engine) async throws {
        let (store, id) = try await self.started(engine)
        #expect(try await self.present(0, then: 1, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(0, then: 66, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(1, then: 2, of: id, to: store) == .reused(.alice))
        #expect(try await self.present(66, then: 67, of: id, to: store) == .unknown)
    }

    @Test("ends with its time", arguments: Engine.allCases)
    func expires(engine: Engine) async throws {
        let (store, id) = try await self.started(engine)
        #expect(try await self.present(0, then: 1, of: id, to: store, at: Self.end) == .expired)
        #expect(try await self.present(0, then: 1, of: id, to: store) == .unknown)
    }

    @Test("is ended by itself or with all of its user's", arguments: Engine.allCases)
    func ends(engine: Engine) async throws {
        let (store, id) = try await self.started(engine)
        #expect(try await store.ask(EndRefreshFamilies.shown(id, hash: [99])) == [])
        #expect(try await store.ask(EndRefreshFamilies.one(id, of: .bob)) == [])
        #expect(try await store.ask(ListRefreshFamilies(of: .alice, at: Self.now)).map(\.family) == [id])
        #expect(try await store.ask(ListRefreshFamilies(of: .alice, at: Self.end)) == [])
        #expect(try await store.ask(EndRefreshFamilies.one(id, of: .alice)) == [id])
        #expect(try await store.ask(EndRefreshFamilies.one(id, of: .alice)) == [])
        var random = SeededRandom(seed: 4)
        for user in [UserID.alice, .alice, .bob] {
            let family = RefreshFamily(id: RandomToken(using: &random), user: user, current: [0], expiry: Self.end)
            try await store.ask(BeginRefreshFamily(family, at: Self.now))
        }
        #expect(try await store.ask(EndRefreshFamilies.all(of: .alice)).count == 2)
        #expect(try await store.ask(EndRefreshFamilies.all(of: .bob)).count == 1)
    }

    @Test("makes room: of more than 32 the one that was used longest ago ends", arguments: Engine.allCases)
    func limit(engine: Engine) async throws {
        let (store, id) = try await self.started(engine)
        var random = SeededRandom(seed: 5)
        for second: Int64 in 1...32 {
            let family = RefreshFamily(id: RandomToken(using: &random), user: .alice, current: [0], expiry: Self.end)
            try await store.ask(BeginRefreshFamily(family, at: Self.now + .seconds(second)))
        }
        #expect(try await self.present(0, then: 1, of: id, to: store) == .unknown)
        #expect(try await store.ask(EndRefreshFamilies.all(of: .alice)).count == 32)
    }
}
