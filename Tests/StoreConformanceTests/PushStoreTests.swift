import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store of devices that want to be woken")
struct PushStoreTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private struct House {
        let store: TestStore
        let id: ConversationID

        init(_ engine: Engine) async throws {
            var settings = StoreSettings()
            settings.keepsPushes = true
            self.store = try TestStore(engine, settings)
            self.id = try #require(ConversationID("plaza"))
            for user in [UserID.alice, .bob] {
                let words = Introduction(
                    user, displayName: DisplayName(user.text), avatar: nil, at: PushStoreTests.now)
                _ = try await self.store.ask(words)
            }
            _ = try await self.store.ask(CreationRequest(self.id, .room, by: .alice, at: PushStoreTests.now)).get()
            try await self.change(.join, .bob)
        }

        func change(_ change: ConversationChange, _ user: UserID) async throws {
            _ = try await self.store.ask(ChangeRequest(.id(self.id), change, by: user, at: PushStoreTests.now)).get()
        }

        func say(_ user: UserID, mentioning users: [UserID] = []) async throws {
            var draft = Draft(.text, MessageBody(proven: Array(#"{"text":"hello"}"#.utf8)))
            draft.mentions = users
            try await self.change(.post(draft), user)
        }

        func pushes() async throws -> [PendingPush] { try await self.store.ask(ListPushes.after(0, limit: 100)) }

        func targets(_ push: PendingPush) async throws -> [PushTarget] {
            try await self.store.ask(FindPushTargets(of: push, .after("", limit: 10))).targets
        }
    }

    private static func device(
        _ user: UserID, _ name: String = "phone", _ endpoint: String = "https://push.example/1", since: Int = 0
    ) throws -> PushDevice {
        PushDevice(
            user, try #require(DeviceID(name)), endpoint: endpoint, publicKey: [4, 1], secret: [2],
            since: Self.now + .seconds(since))
    }

    @Test(
        "H01.outbox keeps a push for each message in its commit, and none while nobody has a device",
        arguments: Engine.allCases)
    func outbox(engine: Engine) async throws {
        let house = try await House(engine)
        try await house.say(.alice)
        #expect(try await house.pushes().isEmpty)
        try await house.store.ask(RegisterPushDevice(try Self.device(.bob)))
        try await house.say(.alice)
        try await house.change(.rename(try #require(DisplayName("Tea"))), .alice)
        let push = try #require(try await house.pushes().first)
        #expect(try await house.pushes().count == 1)
        #expect((push.conversation, push.entry.sender) == (house.id, .alice))
        let target = try #require(try await house.targets(push).first)
        #expect((target.user, target.badge) == (.bob, 2))
        try await house.store.ask(ConfirmPush(push.number))
        #expect(try await house.pushes().isEmpty)
    }

    @Test("H15 finds the devices of a callee, unless the caller is blocked", arguments: Engine.allCases)
    func calls(engine: Engine) async throws {
        let house = try await House(engine)
        let device = try Self.device(.bob)
        try await house.store.ask(RegisterPushDevice(device))
        #expect(try await house.store.ask(FindCallDevices(from: .alice, to: .bob)) == [device])
        #expect(try await house.store.ask(FindCallDevices(from: .bob, to: .alice)).isEmpty)
        _ = try await house.store.ask(SetBlocked(true, .alice, by: .bob))
        #expect(try await house.store.ask(FindCallDevices(from: .alice, to: .bob)).isEmpty)
    }

    @Test(
        "H02.served wakes nobody who got a message, read it, muted it or blocked its sender", arguments: Engine.allCases
    )
    func served(engine: Engine) async throws {
        let house = try await House(engine)
        try await house.store.ask(RegisterPushDevice(try Self.device(.bob)))
        try await house.store.ask(RegisterPushDevice(try Self.device(.alice, "desk", "https://push.example/2")))
        try await house.say(.alice)
        let push = try #require(try await house.pushes().first)
        #expect(try await house.targets(push).map(\.user) == [.bob], "not the sender")
        try await house.store.ask(SetMuted(true, house.id, of: .bob)).get()
        #expect(try await house.targets(push).isEmpty)
        try await house.say(.alice, mentioning: [.bob])
        let mention = try #require(try await house.pushes().last)
        #expect(try await house.targets(mention).map(\.user) == [.bob], "a mention is heard in what is muted")
        try await house.store.ask(SetMuted(false, house.id, of: .bob)).get()
        let laptop = try #require(DeviceID("laptop"))
        let mark = MarkRequest(house.id, of: .bob, on: laptop, delivered: push.entry.number, at: Self.now)
        _ = try await house.store.ask(mark).get()
        #expect(try await house.targets(push).isEmpty)
        #expect(try await house.targets(mention).map(\.user) == [.bob])
        try await house.change(.recall(mention.entry.number), .alice)
        #expect(try await house.targets(mention).isEmpty, "what was taken back wakes nobody")
    }

    @Test(
        "H03.bound lets a device go with its sign-in, and an endpoint with whoever had it", arguments: Engine.allCases)
    func bound(engine: Engine) async throws {
        let house = try await House(engine)
        let family = RefreshFamily(
            id: try #require(RandomToken("abcdefghij0123456789")), user: .bob, current: [1],
            expiry: Self.now + .seconds(1000))
        var phone = try Self.device(.bob)
        phone.family = family.id
        try await house.store.ask(RegisterPushDevice(phone))
        #expect(try await house.store.ask(ListPushDevices(of: .bob)).isEmpty, "its sign-in has ended already")
        try await house.store.ask(BeginRefreshFamily(family, at: Self.now))
        try await house.store.ask(RegisterPushDevice(phone))
        #expect(try await house.store.ask(ListPushDevices(of: .bob)) == [phone])
        _ = try await house.store.ask(EndRefreshFamilies.all(of: .bob))
        #expect(try await house.store.ask(ListPushDevices(of: .bob)).isEmpty)
        try await house.store.ask(RegisterPushDevice(try Self.device(.bob)))
        _ = try await house.store.ask(RecallRestrictions(at: Self.now, tokensSince: Self.now))
        #expect(try await house.store.ask(ListPushDevices(of: .bob)).count == 1, "it came without a sign-in, and stays")
        try await house.store.ask(RegisterPushDevice(try Self.device(.alice)))
        #expect(try await house.store.ask(ListPushDevices(of: .bob)).isEmpty, "the browser has another user now")
        try await house.store.ask(RemovePushDevice.gone(endpoint: "https://push.example/1"))
        #expect(try await house.store.ask(ListPushDevices(of: .alice)).isEmpty)
    }

    @Test(
        "H03.alias keeps what a device is found by as long as it is registered, and not longer",
        arguments: Engine.allCases)
    func labels(engine: Engine) async throws {
        let house = try await House(engine)
        var device = try Self.device(.bob)
        device.alias = PushLabel(of: .bob)
        try await house.store.ask(RegisterPushDevice(device))
        var change = ChangePushBinding(of: device.registration)
        (change.added, change.mobile) = ([try PushLabel("tea"), try PushLabel("\u{8336}")], .set("13800138000"))
        let bound = try await house.store.ask(change).get()
        #expect(bound.tags == [try PushLabel("tea"), try PushLabel("\u{8336}")])
        // The same device again, as a page does whenever it is opened.
        try await house.store.ask(RegisterPushDevice(try Self.device(.bob, since: 5)))
        let again = try #require(try await house.store.ask(ViewPushBinding(device.registration)))
        #expect((again.device.alias, again.device.mobile) == (PushLabel(of: .bob), "13800138000"))
        #expect(again.tags == bound.tags)
        // Whoever signs in there next is somebody else.
        try await house.store.ask(RegisterPushDevice(try Self.device(.alice)))
        #expect(try await house.store.ask(ViewPushBinding(device.registration)) == nil)
        #expect(try await house.store.ask(ListPushTags(limit: 10)).isEmpty)
        #expect(try await house.store.ask(ListPushDevicesByAlias(PushLabel(of: .bob))).isEmpty)
    }

    @Test("H05.rules bounds what one device has, and how many devices have one alias", arguments: Engine.allCases)
    func bounds(engine: Engine) async throws {
        let house = try await House(engine)
        let device = try Self.device(.bob)
        try await house.store.ask(RegisterPushDevice(device))
        var change = ChangeOwnPushBinding(of: device.device, .bob)
        change.added = try (0..<125).map { try PushLabel("\(1000 + $0)" + String(repeating: "t", count: 36)) }
        #expect(try await house.store.ask(change).get().tags.count == 125, "5000 bytes")
        change.added = [try PushLabel("x")]
        #expect(try await house.store.ask(change) == .failure(.tagsTooLong))
        (change.clearsTags, change.added) = (true, try (0..<1000).map { try PushLabel("t\($0)") })
        #expect(try await house.store.ask(change).get().tags.count == 1000)
        (change.clearsTags, change.added) = (false, [try PushLabel("x")])
        #expect(try await house.store.ask(change) == .failure(.tooManyTags))
        (change.added, change.removed) = ([], [try PushLabel("t0")])
        #expect(try await house.store.ask(change).get().tags.count == 999)
        #expect(try await house.store.ask(ChangeOwnPushBinding(of: device.device, .alice)) == .failure(.unknown))
        let alias = try PushLabel("shared|1")
        for number in 0...ChangePushBinding.maximumDevicesOfAlias {
            let other = try Self.device(.alice, "d\(number)", "https://push.example/\(number + 2)")
            try await house.store.ask(RegisterPushDevice(other))
            var change = ChangeOwnPushBinding(of: other.device, .alice)
            change.alias = .set(alias)
            let result = try await house.store.ask(change)
            let isRoom = number < ChangePushBinding.maximumDevicesOfAlias
            #expect(isRoom ? (try? result.get()) != nil : result == .failure(.aliasFull))
        }
    }

    @Test("H03.many keeps the youngest devices of a user", arguments: Engine.allCases)
    func many(engine: Engine) async throws {
        let house = try await House(engine)
        for number in 0...RegisterPushDevice.maximumDevices {
            let device = try Self.device(.bob, "d\(number)", "https://push.example/\(number)", since: number)
            try await house.store.ask(RegisterPushDevice(device))
        }
        let devices = try await house.store.ask(ListPushDevices(of: .bob))
        #expect(devices.count == RegisterPushDevice.maximumDevices)
        #expect(!devices.contains { $0.device.text == "d0" })
        let outcome = PushDevice.Outcome(at: Self.now, trouble: "it answered 500")
        let refused = PushEvent(
            .failed, of: try #require(RandomToken("abcdefghijklmnopqrst")), for: .bob, on: devices[0].device,
            about: PushEvent.Subject(.test), at: outcome.time, status: 503, reason: outcome.trouble)
        try await house.store.ask(NotePushEvents([refused]))
        #expect(try await house.store.ask(ListPushDevices(of: .bob))[0].outcome == outcome)
    }

    @Test(
        "H14.trace keeps what became of pushes by user, place and number, a bounded number of steps",
        arguments: Engine.allCases)
    func trace(engine: Engine) async throws {
        let house = try await House(engine)
        let push = try #require(RandomToken("abcdefghijklmnopqrst"))
        func step(_ kind: PushEvent.Kind, _ user: UserID, _ place: String, _ entry: UInt64) -> PushEvent {
            PushEvent(
                kind, of: push, for: user, on: DeviceID("phone"),
                about: PushEvent.Subject(.message, in: place, entry: entry),
                at: Self.now, status: 201, reason: "why")
        }
        let events = [step(.queued, .bob, "tea", 1), step(.queued, .alice, "tea", 1), step(.accepted, .bob, "tea", 2)]
        try await house.store.ask(NotePushEvents(events))
        #expect(try await house.store.ask(ListPushEvents(of: nil, limit: 10)) == events)
        #expect(try await house.store.ask(ListPushEvents(of: .bob, limit: 10)) == [events[0], events[2]])
        #expect(try await house.store.ask(ListPushEvents(of: .bob, in: "tea", entry: 2, limit: 10)) == [events[2]])
        #expect(try await house.store.ask(ListPushEvents(of: nil, in: "coffee", limit: 10)).isEmpty)
        #expect(try await house.store.ask(ListPushEvents(of: nil, limit: 1)) == [events[2]])

        let later = Self.now + .seconds(1)
        let device = DeviceID("phone")
        #expect(try await house.store.ask(NotePushWord(.clicked, push, by: .bob, on: device, at: later)))
        #expect(try await house.store.ask(NotePushWord(.clicked, push, by: .bob, on: device, at: later)))
        for name in ["phone", "phone", "laptop"] {
            let word = NotePushWord(.received, push, by: .bob, on: DeviceID(name), at: Self.now)
            #expect(try await house.store.ask(word) == (name == "phone"), "only where it was sent to")
        }
        let stranger = try #require(UserID("stranger"))
        #expect(try await !house.store.ask(NotePushWord(.clicked, push, by: stranger, on: device, at: later)))
        #expect(
            try await house.store.ask(ListPushEvents(of: .bob, limit: 10)).map(\.kind) == [
                .queued, .accepted, .clicked, .received,
            ])
        try await house.store.ask(ForgetPushEvents(before: later))
        #expect(try await house.store.ask(ListPushEvents(of: nil, limit: 10)).map(\.kind) == [.clicked])
    }
}
