import Store
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

    @Test("brings back a user as it was added: by id, by name, among others")
    func roundTrip() async throws {
        let store = try SQLiteStore(path: ":memory:")
        let alice = try self.user(.alice, "Alice_1")
        let anonymous = StoredUser(id: .bob, created: Self.now)
        #expect(try await ask { store.add(alice, nil, $0) } == .added)
        #expect(try await ask { store.add(anonymous, nil, $0) } == .added)
        #expect(try await ask { store.user(.alice, $0) } == alice)
        #expect(try await ask { store.user(.bob, $0) } == anonymous)
        let name = try UserName("Alice_1")
        #expect(try await ask { store.user(named: name, $0) } == alice)
        let nobody = try #require(UserID("nobody"))
        #expect(try await ask { store.user(nobody, $0) } == nil)
    }

    @Test("gives a name once, whatever its letters' case, and finds it only as it was registered")
    func uniqueNames() async throws {
        let store = try SQLiteStore(path: ":memory:")
        let first = try self.user(.alice, "Alice")
        let second = try self.user(.bob, "aLICE")
        #expect(try await ask { store.add(first, nil, $0) } == .added)
        #expect(try await ask { store.add(second, nil, $0) } == .nameTaken)
        let third = try self.user(.alice, "Other")
        #expect(try await ask { store.add(third, nil, $0) } == .idTaken)
        let other = try UserName("alice")
        #expect(try await ask { store.user(named: other, $0) } == nil)
    }

    @Test("lists everybody with a name, page by page")
    func pages() async throws {
        let store = try SQLiteStore(path: ":memory:")
        for number in 0..<25 {
            let id = try #require(UserID("u\(number)"))
            let user = try self.user(id, number.isMultiple(of: 5) ? nil : "name\(100 + number)")
            _ = try await ask { store.add(user, nil, $0) }
        }
        var names: [String] = []
        var page = try await ask { store.users(after: "", limit: 7, $0) }
        while let last = page.last?.name?.text {
            names += page.compactMap { $0.name?.text }
            page = try await ask { store.users(after: last, limit: 7, $0) }
        }
        #expect(names == (0..<25).filter { !$0.isMultiple(of: 5) }.map { "name\(100 + $0)" })
        #expect(try await ask { store.users(after: "", limit: -1, $0) } == [])
    }

    @Test("changes passwords and long-lived tokens, and says when there is nobody to change")
    func changes() async throws {
        let store = try SQLiteStore(path: ":memory:")
        let token = LongLivedToken(version: 1, hash: [1, 2, 3], expiry: Self.now + .seconds(60))
        let user = try self.user(.alice, "Alice")
        _ = try await ask { store.add(user, token, $0) }
        #expect(try await ask { store.longLivedToken(of: .alice, $0) } == token)
        #expect(try await ask { store.user(withTokenHash: [1, 2, 3], at: Self.now, $0) }?.id == .alice)
        #expect(try await ask { store.user(withTokenHash: [1, 2, 3], at: token.expiry, $0) } == nil)
        let next = LongLivedToken(version: 2, hash: [4], expiry: Self.now + .seconds(90))
        #expect(try await ask { store.setLongLivedToken(next, of: .alice, $0) })
        #expect(try await ask { store.user(withTokenHash: [1, 2, 3], at: Self.now, $0) } == nil)
        #expect(try await ask { store.setPasswordHash("new", of: .alice, $0) })
        let alice = try await ask { store.user(.alice, $0) }
        #expect(alice?.passwordHash == "new")
        #expect(alice?.displayName == user.displayName && alice?.avatar == user.avatar)
        #expect(try await !ask { store.setPasswordHash("new", of: .bob, $0) })
        #expect(try await ask { store.longLivedToken(of: .bob, $0) } == nil)
    }

    @Test("remembers who and what is held back for as long as it matters")
    func restrictions() async throws {
        let store = try SQLiteStore(path: ":memory:")
        let banned = Restriction(user: .alice, bannedUntil: Self.now + .seconds(100))
        let signedOut = Restriction(user: .bob, notBefore: Self.now)
        let token = RevokedToken(id: "t", expiry: Self.now + .seconds(50))
        for restriction in [banned, signedOut] { try await ask { store.set(restriction, $0) } }
        for _ in 0..<2 { try await ask { store.revoke(token, $0) } }
        let before = try await ask { store.restrictions(at: Self.now, tokensSince: Self.now, $0) }
        #expect(Set(before.0) == [banned, signedOut] && before.1 == [token])
        let later = Self.now + .seconds(50)
        let after = try await ask { store.restrictions(at: later, tokensSince: later, $0) }
        #expect(after.0 == [banned] && after.1 == [])
        try await ask { store.set(Restriction(user: .alice), $0) }
        #expect(try await ask { store.restrictions(at: Self.now, tokensSince: Self.now, $0) }.0 == [])
    }

    @Test("keeps the calls of both sides, newest first, each once")
    func calls() async throws {
        let store = try SQLiteStore(path: ":memory:")
        var random = SeededRandom(seed: 1)
        var calls: [StoredCall] = []
        for number: Int64 in 0..<10 {
            let call = StoredCall(
                id: CallID(using: &random), caller: number < 5 ? .alice : .bob, callee: number < 5 ? .bob : .alice,
                kind: "audio", started: WallTime(milliseconds: number), answered: number < 3 ? nil : Self.now,
                ended: Self.now, outcome: "completed")
            calls.append(call)
            for _ in 0..<2 { try await ask { store.record(call, $0) } }
        }
        let all = try await ask { store.calls(of: .alice, before: Self.now, limit: 100, $0) }
        #expect(all == calls.reversed())
        let some = try await ask { store.calls(of: .bob, before: WallTime(milliseconds: 6), limit: 3, $0) }
        #expect(some == [calls[5], calls[4], calls[3]])
    }

    @Test("forgets the calls that ended long ago, and says how many")
    func oldCalls() async throws {
        let store = try SQLiteStore(path: ":memory:")
        var random = SeededRandom(seed: 2)
        for second: Int64 in 0..<10 {
            let call = StoredCall(
                id: CallID(using: &random), caller: .alice, callee: .bob, kind: "audio", started: WallTime(seconds: 0),
                answered: nil, ended: WallTime(seconds: second), outcome: "declined")
            try await ask { store.record(call, $0) }
        }
        #expect(try await ask { store.forgetCalls(endedBefore: WallTime(seconds: 4), $0) } == 4)
        let left = try await ask { store.calls(of: .alice, before: Self.now, limit: 100, $0) }
        #expect(Set(left.map(\.ended.seconds)) == Set(4..<10))
        #expect(try await ask { store.forgetCalls(endedBefore: WallTime(seconds: 4), $0) } == 0)
    }
}

@Suite("A family of refresh tokens")
struct RefreshFamilyTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let end = now + .seconds(1000)

    private func started() async throws -> (SQLiteStore, RandomToken) {
        let store = try SQLiteStore(path: ":memory:")
        var random = SeededRandom(seed: 3)
        let id = RandomToken(using: &random)
        let family = RefreshFamily(id: id, user: .alice, current: [0], expiry: Self.end)
        try await ask { store.begin(family, at: Self.now, $0) }
        return (store, id)
    }

    private func present(
        _ hash: UInt8, then next: UInt8, of id: RandomToken, to store: SQLiteStore, at now: WallTime = now
    ) async throws -> RefreshOutcome {
        let presentation = RefreshPresentation(
            family: id, hash: [hash], nextHash: [next], nextExpiry: Self.end, now: now)
        return try await ask { store.present(presentation, $0) }
    }

    @Test("goes on from token to token, each good once")
    func rotates() async throws {
        let (store, id) = try await self.started()
        for number: UInt8 in 0..<10 {
            #expect(try await self.present(number, then: number + 1, of: id, to: store) == .followed(.alice, nil))
        }
        #expect(try await self.present(3, then: 99, of: id, to: store) == .reused(.alice))
        #expect(try await self.present(10, then: 99, of: id, to: store) == .unknown)
    }

    @Test("survives a lost answer: the token before is good until its successor was used")
    func lostAnswer() async throws {
        let (store, id) = try await self.started()
        #expect(try await self.present(0, then: 1, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(0, then: 2, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(2, then: 3, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(0, then: 4, of: id, to: store) == .reused(.alice))
    }

    @Test("ends for both when a thief uses the token before its owner's next one")
    func theft() async throws {
        let (store, id) = try await self.started()
        #expect(try await self.present(0, then: 1, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(0, then: 66, of: id, to: store) == .followed(.alice, nil))
        #expect(try await self.present(1, then: 2, of: id, to: store) == .reused(.alice))
        #expect(try await self.present(66, then: 67, of: id, to: store) == .unknown)
    }

    @Test("ends with its time")
    func expires() async throws {
        let (store, id) = try await self.started()
        #expect(try await self.present(0, then: 1, of: id, to: store, at: Self.end) == .expired)
        #expect(try await self.present(0, then: 1, of: id, to: store) == .unknown)
    }

    @Test("is ended by itself or with all of its user's")
    func ends() async throws {
        let (store, id) = try await self.started()
        #expect(try await ask { store.endFamily(id, $0) } == .alice)
        #expect(try await ask { store.endFamily(id, $0) } == nil)
        var random = SeededRandom(seed: 4)
        for user in [UserID.alice, .alice, .bob] {
            let family = RefreshFamily(id: RandomToken(using: &random), user: user, current: [0], expiry: Self.end)
            try await ask { store.begin(family, at: Self.now, $0) }
        }
        #expect(try await ask { store.endFamilies(of: .alice, $0) } == 2)
        #expect(try await ask { store.endFamilies(of: .bob, $0) } == 1)
    }

    @Test("makes room: of more than 32 the one that was used longest ago ends")
    func limit() async throws {
        let (store, id) = try await self.started()
        var random = SeededRandom(seed: 5)
        for second: Int64 in 1...32 {
            let family = RefreshFamily(id: RandomToken(using: &random), user: .alice, current: [0], expiry: Self.end)
            try await ask { store.begin(family, at: Self.now + .seconds(second), $0) }
        }
        #expect(try await self.present(0, then: 1, of: id, to: store) == .unknown)
        #expect(try await ask { store.endFamilies(of: .alice, $0) } == 32)
    }
}
