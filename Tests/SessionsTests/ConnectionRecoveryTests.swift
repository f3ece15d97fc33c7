import Sessions
import SocketIO
import TestSupport
import Testing
import Vocabulary

@Suite("A client's place")
struct ResumptionTests {
    private let start = Instant(milliseconds: 0)

    private func place(
        window: Duration = .seconds(120), limits: ReplayLog.Limits = ReplayLog.Limits()
    ) -> ConnectionRecovery {
        var random = SeededRandom(seed: 1)
        return ConnectionRecovery(
            key: ResumeKey(of: SessionID(using: &random), using: &random), window: window, limits: limits)
    }

    private func event(_ number: UInt64) -> [EncodedPacket] {
        [EncodedPacket(messageWithDigit: Array("4\(number)".utf8))]
    }

    private func numbers(_ events: [[EncodedPacket]]) -> [UInt64] {
        events.compactMap { UInt64(String(decoding: $0[0].bytes.dropFirst(), as: UTF8.self)) }
    }

    private func record(_ numbers: ClosedRange<UInt64>, in place: inout ConnectionRecovery) {
        for number in numbers { _ = place.record(self.event(number), as: EventOffset(number)) }
    }

    private func resume(_ place: inout ConnectionRecovery, _ position: RecoveryRequest.Position, at now: Int64) throws
        -> [UInt64]
    {
        self.numbers(try place.resumed(from: position, at: Instant(milliseconds: now)))
    }

    @Test("is kept while it is away, with exactly what it missed, in order")
    func missed() throws {
        var place = self.place()
        self.record(1...5, in: &place)
        place.linkLost(at: self.start)
        self.record(6...8, in: &place)
        #expect(try self.resume(&place, .after(EventOffset(3)), at: 1_000) == [4, 5, 6, 7, 8])
    }

    @Test("says whether there is a link to write to")
    func links() throws {
        var place = self.place()
        let attached = place.record(self.event(1), as: EventOffset(1))
        place.linkLost(at: self.start)
        let away = place.record(self.event(2), as: EventOffset(2))
        place.left()
        let over = place.record(self.event(3), as: EventOffset(3))
        #expect(attached && !away && !over)
    }

    @Test("can be taken again and again, not only once")
    func again() throws {
        var place = self.place()
        var next: UInt64 = 1
        var last = RecoveryRequest.Position.start
        for round in 0..<50 {
            let missed = next...next + 2
            self.record(missed, in: &place)
            place.linkLost(at: Instant(milliseconds: Int64(round) * 1_000))
            #expect(try self.resume(&place, last, at: Int64(round) * 1_000 + 500) == Array(missed))
            // Before it can say that it has them, the line drops again.
            place.linkLost(at: Instant(milliseconds: Int64(round) * 1_000 + 600))
            #expect(try self.resume(&place, last, at: Int64(round) * 1_000 + 700) == Array(missed))
            next += 3
            last = .after(EventOffset(next - 1))
        }
    }

    @Test("is recognised on a quiet line, whose last event has long left the log")
    func quiet() throws {
        var place = self.place()
        self.record(1...3, in: &place)
        for _ in 0..<5 {
            place.pingSent()
            place.pongReceived()
        }
        place.linkLost(at: self.start)
        #expect(try self.resume(&place, .after(EventOffset(3)), at: 1) == [])
        place.linkLost(at: self.start)
        self.record(4...4, in: &place)
        #expect(try self.resume(&place, .after(EventOffset(3)), at: 1) == [4])
    }

    @Test("is recognised by a client that never heard an event")
    func neverHeard() throws {
        var place = self.place()
        place.linkLost(at: self.start)
        #expect(try self.resume(&place, .start, at: 1) == [])
        place.linkLost(at: self.start)
        self.record(1...2, in: &place)
        #expect(try self.resume(&place, .start, at: 2) == [1, 2])
    }

    @Test("keeps what the last answered ping covered until the next one is answered")
    func confirmation() throws {
        var place = self.place()
        self.record(1...2, in: &place)
        place.pingSent()
        self.record(3...4, in: &place)
        place.pongReceived()
        place.linkLost(at: self.start)
        #expect(try self.resume(&place, .start, at: 1) == [1, 2, 3, 4])
        place.pingSent()
        place.pongReceived()
        place.pingSent()
        place.pongReceived()
        place.linkLost(at: self.start)
        #expect(throws: ConnectionRecovery.Refusal.gap) { try self.resume(&place, .start, at: 2) }
    }

    @Test("is gone when the window has passed")
    func tooLate() throws {
        var place = self.place(window: .seconds(2))
        place.linkLost(at: self.start)
        #expect(place.deadline == Instant(milliseconds: 2_000))
        place.clockAdvanced(to: Instant(milliseconds: 1_999))
        let isOver = place.isOver
        #expect(!isOver)
        #expect(throws: ConnectionRecovery.Refusal.over) { try self.resume(&place, .start, at: 2_000) }
    }

    @Test("is gone when the client left")
    func left() throws {
        var place = self.place()
        place.left()
        place.linkLost(at: self.start)
        #expect(throws: ConnectionRecovery.Refusal.over) { try self.resume(&place, .start, at: 0) }
    }

    @Test(
        "is refused, once and for all, when it cannot be without a gap",
        arguments: [RecoveryRequest.Position.start, .after(EventOffset(1)), .after(EventOffset(99)), .unreadable])
    func gap(_ position: RecoveryRequest.Position) throws {
        var place = self.place(limits: ReplayLog.Limits(events: 3))
        self.record(1...5, in: &place)
        place.linkLost(at: self.start)
        #expect(throws: ConnectionRecovery.Refusal.gap) { try self.resume(&place, position, at: 1) }
        #expect(throws: ConnectionRecovery.Refusal.over) { try self.resume(&place, .after(EventOffset(5)), at: 1) }
    }

    @Test("reaches back as far as its limits, and to the event before: events kept for a client that may come back")
    func limits() throws {
        var events = self.place(limits: ReplayLog.Limits(events: 3))
        self.record(1...5, in: &events)
        events.linkLost(at: self.start)
        #expect(try self.resume(&events, .after(EventOffset(2)), at: 1) == [3, 4, 5])
        var bytes = self.place(limits: ReplayLog.Limits(bytes: 6))
        self.record(1...5, in: &bytes)
        bytes.linkLost(at: self.start)
        #expect(try self.resume(&bytes, .after(EventOffset(2)), at: 1) == [3, 4, 5])
        var tiny = self.place(limits: ReplayLog.Limits(bytes: 0))
        self.record(1...5, in: &tiny)
        #expect(try self.resume(&tiny, .after(EventOffset(5)), at: 1) == [])
    }

    @Test("does not bring back what is not worth a second time, but knows its name")
    func fleeting() throws {
        var place = self.place()
        self.record(1...1, in: &place)
        _ = place.record([], as: EventOffset(2))
        self.record(3...3, in: &place)
        _ = place.record([], as: EventOffset(4))
        place.linkLost(at: self.start)
        #expect(try self.resume(&place, .after(EventOffset(2)), at: 1) == [3])
        place.linkLost(at: self.start)
        #expect(try self.resume(&place, .after(EventOffset(4)), at: 1) == [])
    }

    @Test("is taken over by a new link while the old one still looks alive")
    func takeOver() throws {
        var place = self.place()
        self.record(1...2, in: &place)
        #expect(self.numbers(try place.resumed(from: .after(EventOffset(1)), at: self.start)) == [2])
        let deadline = place.deadline
        #expect(deadline == nil)
    }

    @Test("gives every client exactly what was sent to it, whatever the line does")
    func exactlyOnce() throws {
        for seed in UInt64(0)..<500 {
            var random = SeededRandom(seed: seed)
            var place = self.place()
            var line = FlakyLine()
            var sent: UInt64 = 0
            for _ in 0..<300 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    sent += 1
                    if place.record(self.event(sent), as: EventOffset(sent)) { line.inFlight.append(.event(sent)) }
                case 4..<6 where !line.inFlight.contains(.ping):
                    place.pingSent()
                    line.inFlight.append(.ping)
                case 6..<9:
                    let count = Int.random(in: 0...line.inFlight.count, using: &random)
                    for _ in 0..<line.arrive(count) { place.pongReceived() }
                default:
                    place.linkLost(at: self.start)
                    line.inFlight = try self.resume(&place, line.position, at: 1).map { .event($0) }
                }
            }
            _ = line.arrive(line.inFlight.count)
            #expect(line.received == Array(0..<sent).map { $0 + 1 }, "seed \(seed)")
        }
    }
}

/// Brings what is in flight in order, until it drops.
private struct FlakyLine {
    enum Item: Hashable { case event(UInt64), ping }

    var inFlight: [Item] = []
    private(set) var received: [UInt64] = []

    var position: RecoveryRequest.Position { self.received.last.map { .after(EventOffset($0)) } ?? .start }

    /// How many pongs that calls for.
    mutating func arrive(_ count: Int) -> Int {
        defer { self.inFlight.removeFirst(count) }
        var pongs = 0
        for item in self.inFlight.prefix(count) {
            switch item {
            case .event(let number): self.received.append(number)
            case .ping: pongs += 1
            }
        }
        return pongs
    }
}
