import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("Events on their way to another program")
struct EventStoreTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private static func events(_ numbers: ClosedRange<UInt64>, of start: EventPlace) -> [NewEvent] {
        numbers.map { NewEvent(EventPlace(start.series, $0), about: "room tea", json: "\($0)") }
    }

    private static func told(_ store: TestStore) async throws -> [String] {
        try await store.ask(ListDeliveries.after(0, limit: 100)).map { delivery in
            if case .event(let json) = delivery.content { json } else { "an entry" }
        }
    }

    @Test("P13.once an event that two nodes write down is told once, in its place", arguments: Engine.allCases)
    func once(engine: Engine) async throws {
        let store = try TestStore(engine)
        let start = EventPlace.start()
        try await store.ask(AddEvents(Self.events(1...3, of: start), at: Self.now))
        #expect(try await store.ask(FindLastEvent(of: start.series)) == 3)
        try await store.ask(AddEvents(Self.events(2...5, of: start), at: Self.now))
        try await store.ask(AddEvents(Self.events(1...4, of: start), at: Self.now))
        #expect(try await Self.told(store) == ["1", "2", "3", "4", "5"])
        #expect(try await store.ask(FindLastEvent(of: start.series)) == 5)
    }

    @Test(
        "P13.once what lies in ranges of numbers is found, however much waits between them", arguments: Engine.allCases)
    func ranges(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.ask(AddEvents(Self.events(1...9, of: .start()), at: Self.now))
        let numbers = try await store.ask(ListDeliveries.after(0, limit: 100)).map(\.number)
        let wanted = RangeSet([numbers[1]..<numbers[3], numbers[7]..<numbers[8] + 5])
        let first = try await store.ask(ReadWithSnapshot(ListDeliveries.numbered(wanted)))
        #expect(first.found.map(\.number) == [numbers[1], numbers[2], numbers[7], numbers[8]])
        let second = try await store.ask(ReadWithSnapshot(ListDeliveries.numbered(RangeSet())))
        #expect(second.found.isEmpty && second.snapshot.oldestOpen >= first.snapshot.oldestOpen)
    }

    @Test(
        "P13.once events of a new series are all told, and a series of yesterday is forgotten",
        arguments: Engine.allCases)
    func series(engine: Engine) async throws {
        let store = try TestStore(engine)
        let (old, new) = (EventPlace.start(), EventPlace.start())
        try await store.ask(AddEvents(Self.events(1...2, of: old), at: Self.now))
        let both = Self.events(2...3, of: old) + Self.events(1...2, of: new)
        try await store.ask(AddEvents(both, at: Self.now + .seconds(90_000)))
        #expect(try await Self.told(store) == ["1", "2", "3", "1", "2"])
        try await store.ask(AddEvents(Self.events(1...1, of: .start()), at: Self.now + .seconds(180_000)))
        #expect(try await store.ask(FindLastEvent(of: old.series)) == 0)
    }
}
