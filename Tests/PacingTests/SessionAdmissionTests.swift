import Pacing
import TestSupport
import Testing
import Vocabulary

@Suite("A book of arrivals")
struct SessionAdmissionTests {
    private static let limits = {
        var limits = SessionAdmission.Limits()
        limits.rate = TokenBucket.Rate(perSecond: 10, burst: 3)
        limits.maximumOpen = 5
        limits.capacity = 10
        return limits
    }()

    private var book = SessionAdmission(Self.limits)

    private func at(_ milliseconds: Int64) -> Instant { .start + .milliseconds(milliseconds) }

    @Test("lets in so many at once, then says how long the next one has to wait")
    mutating func rate() throws {
        for _ in 0..<3 { try self.book.arrived(from: .v4(1), at: self.at(0)) }
        #expect(throws: SessionAdmission.Refusal.tooOften(retryAfter: .milliseconds(100))) {
            try self.book.arrived(from: .v4(1), at: self.at(0))
        }
        #expect(throws: SessionAdmission.Refusal.tooOften(retryAfter: .milliseconds(50))) {
            try self.book.arrived(from: .v4(1), at: self.at(50))
        }
        try self.book.arrived(from: .v4(2), at: self.at(50))
        try self.book.arrived(from: .v4(1), at: self.at(100))
    }

    @Test("counts a client prefix once, whichever of its addresses come")
    mutating func prefixes() throws {
        for host: UInt64 in 0..<3 { try self.book.arrived(from: .v6(7, host), at: self.at(0)) }
        #expect(throws: SessionAdmission.Refusal.self) { try self.book.arrived(from: .v6(7, 99), at: self.at(0)) }
        try self.book.arrived(from: .v6(8, 99), at: self.at(0))
    }

    @Test("has room for so many of a client prefix, and for the next when one has left")
    mutating func open() throws {
        for time in 0..<5 { try self.book.arrived(from: .v4(1), at: self.at(Int64(time) * 1000)) }
        #expect(throws: SessionAdmission.Refusal.tooMany) { try self.book.arrived(from: .v4(1), at: self.at(10_000)) }
        try self.book.arrived(from: .v4(2), at: self.at(10_000))
        self.book.left(.v4(1))
        try self.book.arrived(from: .v4(1), at: self.at(10_000))
        #expect(throws: SessionAdmission.Refusal.tooMany) { try self.book.arrived(from: .v4(1), at: self.at(20_000)) }
    }

    @Test(
        "does not count this machine itself unless it is told to",
        arguments: [IPAddress.loopback, .loopback6, .v4(0x7F00_0009)])
    mutating func loopback(address: IPAddress) throws {
        for _ in 0..<100 { try self.book.arrived(from: address, at: self.at(0)) }
        self.book.left(address)
        #expect(self.book.rememberedPrefixes == 0)
        var limits = Self.limits
        limits.countsThisMachine = true
        self.book = SessionAdmission(limits)
        for _ in 0..<3 { try self.book.arrived(from: address, at: self.at(0)) }
        #expect(throws: SessionAdmission.Refusal.self) { try self.book.arrived(from: address, at: self.at(0)) }
    }

    @Test("never remembers more than it may", arguments: 0..<4 as Range<UInt64>)
    mutating func bounded(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for step in 0..<1000 as Range<Int64> {
            try? self.book.arrived(from: .v4(UInt32.random(in: 1...50, using: &random)), at: self.at(step))
            #expect(self.book.rememberedPrefixes <= 12)
        }
    }

    @Test("keeps the count of those it has forgotten")
    mutating func countOutlivesMemory() throws {
        for time in 0..<5 { try self.book.arrived(from: .v4(1), at: self.at(Int64(time) * 1000)) }
        for stranger: UInt32 in 100..<150 { try self.book.arrived(from: .v4(stranger), at: self.at(9000)) }
        #expect(throws: SessionAdmission.Refusal.tooMany) { try self.book.arrived(from: .v4(1), at: self.at(9000)) }
    }
}

@Suite("A count by client prefix")
struct PrefixCountTests {
    @Test("goes up to its limit, and down to nothing")
    func limit() {
        var count = PrefixCount()
        let granted = (0..<3).map { _ in count.add(.v4(1), atMost: 2) }
        #expect(granted == [true, true, false])
        count.remove(.v4(1))
        #expect(count.has(.v4(1)) == 1)
        let again = [count.add(.v4(2), atMost: 2), count.add(.v4(1), atMost: 2)]
        #expect(again == [true, true])
        for _ in 0..<9 { count.remove(.v4(1)) }
        #expect(count.has(.v4(1)) == 0)
    }
}
