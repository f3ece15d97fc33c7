import Calling
import Testing

@Suite("A storm of random events")
struct StormTests {
    @Test(
        "leaves every call with one winner at most, one ending per line, one record and an end",
        arguments: StormPlan.seeds)
    func calls(seed: UInt64) throws {
        let ledger = try StormPlan.run { isTraced in
            var storm = CallStorm(seed: seed, isTraced: isTraced)
            return try storm.run(events: StormPlan.eventsPerSeed)
        }
        // A storm that meets only closed doors proves nothing.
        #expect(ledger.answers > 100 && ledger.mergers > 0 && ledger.moves > 0)
        let stop: Set<CallOutcome> = [.serverRestarted]
        #expect(Set(ledger.outcomes.keys).union(stop) == Set(CallOutcome.allCases), "seed \(seed)")
    }

    @Test(
        "leaves a room without ghosts, its events without gaps, and all who are in it with the same picture",
        arguments: StormPlan.seeds)
    func rooms(seed: UInt64) throws {
        let sights = try StormPlan.run { isTraced in
            var storm = RoomStorm(seed: seed, isTraced: isTraced)
            return try storm.run(events: StormPlan.eventsPerSeed)
        }
        #expect(sights.rooms > 0 && (sights.returns > 10 || !sights.hasLeases), "seed \(seed)")
        #expect(Set(sights.departures.keys) == Set(RoomDeparture.allCases), "seed \(seed)")
        #expect(sights.refusals == ["full", "notAMember"], "seed \(seed)")
    }
}
