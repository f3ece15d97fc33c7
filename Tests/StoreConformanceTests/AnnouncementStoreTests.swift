import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store of what programs announce")
struct AnnouncementStoreTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    /// A store with devices of many users, of whom every second has the tag "even".
    private struct House {
        let store: TestStore
        var devices: [PushDevice] = []

        init(_ engine: Engine, devices count: Int = 3) async throws {
            self.store = try TestStore(engine)
            for number in 0..<count {
                let user = try #require(UserID("u\(number)"))
                var device = PushDevice(
                    user, try #require(DeviceID("phone")), endpoint: "https://push.example/\(number)",
                    publicKey: [4], secret: [2], since: AnnouncementStoreTests.now,
                    registration: try #require(RegistrationID("\(1_000_000_000_000_000_000 + number)")))
                device.alias = PushLabel(of: user)
                try await self.store.ask(RegisterPushDevice(device))
                if number % 2 == 0 { try await self.tag("even", device) }
                self.devices.append(device)
            }
        }

        func tag(_ tag: String, _ device: PushDevice) async throws {
            let change = ChangePushTag(try PushLabel(tag), adding: [device.registration], removing: [])
            #expect(try await self.store.ask(change).isEmpty)
        }

        func make(_ text: String = "{}", change: (inout MakeAnnouncement) -> Void = { _ in }) async throws
            -> MakeAnnouncement.Made
        {
            var random = SystemRandomNumberGenerator()
            var request = MakeAnnouncement(
                Array(text.utf8), from: "key", push: RandomToken(using: &random), life: .seconds(100),
                at: AnnouncementStoreTests.now)
            change(&request)
            return try await self.store.ask(request)
        }

        func makeNew(_ text: String = "{}") async throws -> Announcement {
            guard case .new(let announcement) = try await self.make(text) else {
                throw StoreError(.constraint, database: "test", detail: "it is not new")
            }
            return announcement
        }

        func underWay(after number: Int64 = 0) async throws -> [Announcement] {
            try await self.store.ask(ListAnnouncementsUnderWay(after: number, limit: 10))
        }

        /// The numbers of those who are found, page by page.
        func found(_ audience: PushAudience, limit: Int = 2) async throws -> [Int] {
            var (found, start): ([PushDevice], String?) = ([], "")
            while let after = start {
                let page = try await self.store.ask(FindPushAudience(audience, after: after, limit: limit))
                found += page.recipients.map(\.device)
                start = page.next
            }
            return found.compactMap { device in self.devices.firstIndex { $0.registration == device.registration } }
        }

        func step(_ kind: PushEvent.Kind, of announcement: Announcement, on device: PushDevice) async throws {
            let event = PushEvent(
                kind, of: announcement.push, for: device.user, on: device.device,
                about: PushEvent.Subject(.announcement, in: "\(announcement.number)"),
                at: AnnouncementStoreTests.now)
            try await self.store.ask(NotePushEvents([event]))
        }

        func open() async throws -> [RegistrationID] {
            try await self.store.ask(ListOpenReceipts(after: .start, limit: 10)).items.map(
                \.recipient.device.registration)
        }
    }

    @Test("H04.audience finds devices by all kinds that are said, page by page", arguments: Engine.allCases)
    func audience(engine: Engine) async throws {
        let house = try await House(engine, devices: 7)
        func label(_ text: String) throws -> PushLabel { try PushLabel(text) }
        var audience = PushAudience()
        #expect(audience.isEverybody)
        #expect(try await house.found(audience) == Array(0..<7))
        audience.tags = [try label("even"), try label("odd")]
        #expect(try await house.found(audience) == [0, 2, 4, 6])
        audience.aliases = [try label("u2"), try label("u3"), try label("nobody")]
        #expect(try await house.found(audience) == [2], "each kind gives a set, and they are intersected")
        audience = PushAudience()
        audience.registrations = [house.devices[5].registration, house.devices[1].registration]
        #expect(try await house.found(audience, limit: 1) == [1, 5])
        try await house.tag("first", house.devices[0])
        audience = PushAudience()
        audience.requiredTags = [try label("even"), try label("first")]
        #expect(try await house.found(audience) == [0])
        audience = PushAudience()
        audience.excludedTags = [try label("even"), try label("nothing")]
        #expect(try await house.found(audience) == [1, 3, 5])
        #expect(!audience.isEverybody)
    }

    @Test("H04.kept writes an announcement down until all devices were told", arguments: Engine.allCases)
    func kept(engine: Engine) async throws {
        let house = try await House(engine)
        let first = try await house.makeNew(#"{"a":1}"#)
        let second = try await house.makeNew()
        #expect(first.number < second.number)
        #expect(try await house.underWay() == [first, second])
        #expect(try await house.underWay(after: first.number) == [second])
        #expect(first.expiry == Self.now + .seconds(100))
        let receipt = AnnouncementReceipt(house.devices[0], platform: "android")
        let next = house.devices[0].registration.text
        #expect(try await house.store.ask(AdvanceAnnouncement(first.number, telling: [receipt], next: next)))
        #expect(try await house.underWay().first?.next == next)
        #expect(try await house.store.ask(AdvanceAnnouncement(first.number, telling: [], next: nil)))
        #expect(try await house.underWay() == [second])
        #expect(try await !house.store.ask(AdvanceAnnouncement(first.number, telling: [receipt], next: nil)))
        #expect(try await house.store.ask(FindAnnouncement(first.number))?.content == Array(#"{"a":1}"#.utf8))
    }

    @Test("H04.kept has a receipt for each device that is open until it came to an end", arguments: Engine.allCases)
    func receipts(engine: Engine) async throws {
        let house = try await House(engine)
        let announcement = try await house.makeNew()
        let receipts = house.devices.map { AnnouncementReceipt($0, platform: "android") }
        #expect(try await house.store.ask(AdvanceAnnouncement(announcement.number, telling: receipts, next: nil)))
        #expect(try await house.open() == house.devices.map(\.registration))
        let page = try await house.store.ask(ListOpenReceipts(after: .start, limit: 2))
        let place = try #require(page.next)
        let rest = try await house.store.ask(ListOpenReceipts(after: place, limit: 2))
        #expect(rest.items.map(\.recipient.device) == [house.devices[2]] && rest.next == nil)
        try await house.step(.sent, of: announcement, on: house.devices[0])
        #expect(try await house.open().count == 3)
        try await house.step(.accepted, of: announcement, on: house.devices[0])
        try await house.step(.gone, of: announcement, on: house.devices[2])
        #expect(try await house.open() == [house.devices[1].registration])
        try await house.store.ask(RemovePushDevice.own(house.devices[1].device, of: house.devices[1].user))
        #expect(try await house.open().isEmpty, "nobody is registered there any more")
    }

    @Test("H04.once answers a name that is said again within a day as before", arguments: Engine.allCases)
    func once(engine: Engine) async throws {
        let house = try await House(engine)
        guard case .new(let first) = try await house.make(#"{"a":1}"#, change: { $0.name = "cid" }) else {
            throw StoreError(.constraint, database: "test", detail: "it is not new")
        }
        #expect(try await house.make(#"{"a":2}"#, change: { $0.name = "cid" }) == .repeated(first))
        #expect(try await house.underWay() == [first])
        let later = Self.now + MakeAnnouncement.memory
        #expect(try await house.store.ask(FindNamedAnnouncement("cid", from: "key", at: Self.now)) == first)
        #expect(try await house.store.ask(FindNamedAnnouncement("cid", from: "other", at: Self.now)) == nil)
        #expect(try await house.store.ask(FindNamedAnnouncement("cid", from: "key", at: later)) == nil)
    }

    @Test("H04.instead takes the place of one of the last day", arguments: Engine.allCases)
    func override(engine: Engine) async throws {
        let house = try await House(engine)
        let first = try await house.makeNew()
        #expect(try await house.make { $0.overrides = first.number + 1 } == .nothingToOverride)
        guard case .new(let second) = try await house.make(change: { $0.overrides = first.number }) else {
            throw StoreError(.constraint, database: "test", detail: "it is not new")
        }
        #expect(second.topic == first.topic && second.number != first.number)
        #expect(try await house.underWay() == [second], "nobody else hears of the first one")
    }

    @Test("H04.over tells no more devices of what was taken back, and knows who was told", arguments: Engine.allCases)
    func withdrawn(engine: Engine) async throws {
        let house = try await House(engine)
        let first = try await house.makeNew()
        let receipts = house.devices.map { AnnouncementReceipt($0, platform: "android") }
        #expect(try await house.store.ask(AdvanceAnnouncement(first.number, telling: receipts, next: "2")))
        try await house.step(.accepted, of: first, on: house.devices[0])
        try await house.step(.refused, of: first, on: house.devices[1])
        for (source, time) in [("other", Self.now), ("key", Self.now + MakeAnnouncement.memory)] {
            #expect(try await house.store.ask(WithdrawAnnouncement(first.number, from: source, at: time)) == nil)
        }
        #expect(try await house.store.ask(WithdrawAnnouncement(first.number, from: "key", at: Self.now)) != nil)
        #expect(try await house.underWay().isEmpty)
        let told = try await house.store.ask(ListTold(of: first.number, after: "", limit: 2))
        #expect(told.devices == [house.devices[0].noted(at: Self.now)])
        let rest = try await house.store.ask(ListTold(of: first.number, after: try #require(told.next), limit: 2))
        #expect(rest.devices == [house.devices[2]] && rest.next == nil)
    }

    @Test("H14.received counts how far devices came with an announcement, once each", arguments: Engine.allCases)
    func counts(engine: Engine) async throws {
        let house = try await House(engine, devices: 4)
        let first = try await house.makeNew()
        let receipts = house.devices.dropLast().map { device in
            AnnouncementReceipt(device, platform: device == house.devices[0] ? "ios" : "android")
        }
        #expect(try await house.store.ask(AdvanceAnnouncement(first.number, telling: receipts, next: nil)))
        for device in house.devices.dropLast() { try await house.step(.accepted, of: first, on: device) }
        for _ in 0..<2 {
            let click = NotePushWord(
                .clicked, first.push, by: house.devices[1].user, on: house.devices[1].device, at: Self.now)
            #expect(try await house.store.ask(click))
        }
        let received = NotePushWord(
            .received, first.push, by: house.devices[0].user, on: house.devices[0].device, at: Self.now)
        #expect(try await house.store.ask(received))
        try await house.step(.accepted, of: first, on: house.devices[0])
        let counts = try await house.store.ask(CountReceipts(of: [first.number, 1], from: "key"))
        #expect(
            counts == [
                first.number: [
                    AnnouncementCount(platform: "android", event: .accepted, devices: 2, clicked: 1),
                    AnnouncementCount(platform: "ios", event: .received, devices: 1, clicked: 0),
                ]
            ])
        #expect(try await house.store.ask(CountReceipts(of: [first.number], from: "other")).isEmpty)
        let unknown = try #require(RegistrationID("0000000000000000000"))
        let asked = house.devices.map(\.registration) + [unknown]
        let found = try await house.store.ask(ViewReceipts(of: first.number, on: asked))
        #expect(found[house.devices[1].registration]??.isClicked == true)
        #expect(found[house.devices[3].registration] == .some(nil) && found[unknown] == nil)
        let devices = try await house.store.ask(FindPushDevices([unknown, house.devices[3].registration]))
        #expect(devices == [house.devices[3]])
    }

    @Test("H14.report forgets announcements with what became of them", arguments: Engine.allCases)
    func forgotten(engine: Engine) async throws {
        let house = try await House(engine)
        let announcement = try await house.makeNew()
        let receipts = house.devices.map { AnnouncementReceipt($0, platform: "android") }
        _ = try await house.store.ask(AdvanceAnnouncement(announcement.number, telling: receipts, next: nil))
        try await house.store.ask(ForgetAnnouncements(before: Self.now))
        #expect(try await house.open().count == 3)
        try await house.store.ask(ForgetAnnouncements(before: Self.now + .seconds(1)))
        #expect(try await house.open().isEmpty)
        #expect(try await house.store.ask(FindAnnouncement(announcement.number)) == nil)
    }

    @Test("H04.schedule announces each time once, and says when it does so again", arguments: Engine.allCases)
    func schedule(engine: Engine) async throws {
        let house = try await House(engine)
        let due = PushSchedule("one", from: "key", [1], next: Self.now, created: Self.now)
        let late = PushSchedule("two", from: "key", [2], next: Self.now + .seconds(1), created: Self.now)
        #expect(try await house.store.ask(PutPushSchedule(late)))
        #expect(try await house.store.ask(PutPushSchedule(due)))
        #expect(try await house.store.ask(FindNextPushSchedule()) == due)
        #expect(try await house.store.ask(ListPushSchedules(of: "key")).map(\.id) == ["two", "one"])
        var random = SystemRandomNumberGenerator()
        var announcement = MakeAnnouncement(
            [3], from: "key", push: RandomToken(using: &random), life: .seconds(1), at: Self.now)
        announcement.schedule = "one"
        let again = Self.now + .seconds(60)
        let made = try await house.store.ask(FirePushSchedule(due, next: again, announcement))
        guard case .new(let new) = made else {
            throw StoreError(.constraint, database: "test", detail: "it is not new")
        }
        #expect(try await house.store.ask(FirePushSchedule(due, next: again, announcement)) == nil)
        #expect(try await house.store.ask(ListAnnouncementsOfSchedule("one", limit: 10)) == [new.number])
        #expect(try await house.store.ask(FindPushSchedule("one", of: "key"))?.next == again)
        #expect(try await house.store.ask(FindPushSchedule("one", of: "other")) == nil)
        #expect(try await !house.store.ask(RemovePushSchedule("one", of: "other")))
        #expect(try await house.store.ask(RemovePushSchedule("one", of: "key")))
        #expect(try await house.store.ask(FindNextPushSchedule()) == late)
    }
}

extension PushDevice {
    /// As it is when a push service took a push.
    fileprivate func noted(at time: WallTime) -> PushDevice {
        var device = self
        device.outcome = Outcome(at: time, trouble: nil)
        return device
    }
}
