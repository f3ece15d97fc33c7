import Pacing
import Testing
import Vocabulary

@Suite("A budget for each client prefix")
struct PrefixBudgetTests {
    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("H4 has an end for each prefix, and what is given back can be taken again")
    func ofPrefix() throws {
        var budget = PrefixBudget(.init(ofPrefix: 100, total: 1000))
        let (a, b) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
        let taken = [budget.take(60, for: a), budget.take(41, for: a), budget.take(41, for: b)]
        #expect(taken == [true, false, true])
        #expect(budget.used(by: a) == 60 && budget.total == 101)
        budget.giveBack(60, for: a)
        let again = budget.take(100, for: a)
        #expect(again && budget.total == 141)
    }

    @Test("H4 has an end for all, but those who have little get it all the same")
    func total() throws {
        var budget = PrefixBudget(.init(ofPrefix: 1 << 20, total: 1 << 20))
        let (a, b) = (try Self.address("2001:db8:1::1"), try Self.address("2001:db8:2::1"))
        let taken = [
            budget.take(1 << 20, for: a), budget.take(1, for: a), budget.take(64 << 10, for: b), budget.take(1, for: b),
        ]
        #expect(taken == [true, false, true, false])
    }

    @Test("H4 is one for all addresses of an IPv6 prefix")
    func prefix() throws {
        var budget = PrefixBudget(.init(ofPrefix: 100, total: 1000))
        let (a, b) = (try Self.address("2001:db8::1"), try Self.address("2001:db8::ffff"))
        let taken = [budget.take(60, for: a), budget.take(60, for: b)]
        #expect(taken == [true, false])
    }
}

@Suite("Buckets of client prefixes")
struct PrefixBucketsTests {
    @Test("H2 are overdrawn by what costs more than was thought, and filled again with time")
    func spend() throws {
        var buckets = PrefixBuckets(.init(perSecond: 10, burst: 10))
        let (a, b) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("192.0.2.2")))
        let start = Instant(milliseconds: 1000)
        let waits = [buckets.spend(10, by: a, at: start), buckets.spend(5, by: a, at: start)]
        #expect(waits == [nil, .milliseconds(500)])
        let others = buckets.spend(10, by: b, at: start)
        let later = buckets.spend(0, by: a, at: start + .milliseconds(500))
        #expect(others == nil && later == nil)
    }
}
