@testable import Load
import Testing
import TestSupport
import Vocabulary

@Suite("The pace of a load")
struct LoadPaceTests {
    private static let start = Instant(milliseconds: 0)

    @Test("comes to its rate over any steps", arguments: [0.3, 7, 1_000, 33_333])
    func rate(_ perSecond: Double) {
        var pace = LoadPace(perSecond: perSecond)
        var random = SystemRandomNumberGenerator()
        var (now, sum) = (Self.start, 0)
        _ = pace.due(at: now)
        while Self.start.duration(to: now) < .seconds(60) {
            now = now.advanced(by: .milliseconds(Int.random(in: 1...500, using: &random)))
            sum += pace.due(at: now)
        }
        let expected = perSecond * (Self.start.duration(to: now) / .seconds(1))
        #expect(abs(Double(sum) - expected) <= 1)
    }

    @Test("owes nothing before it has begun")
    func start() {
        var pace = LoadPace(perSecond: 1_000)
        #expect(pace.due(at: Self.start.advanced(by: .seconds(9))) == 0)
    }
}

@Suite("The tally of a load")
struct LoadTallyTests {
    @Test("tells the share of what was lost of all that was sent")
    func share() {
        var tally = LoadTally()
        #expect(tally.share(of: .lost) == nil)
        tally.count(.deliveries, 3)
        tally.count(.lost)
        #expect(tally.share(of: .lost) == 0.25)
        tally.count(.calls, 4)
        tally.count(.failedCalls)
        #expect(tally.share(of: .failedCalls) == 0.25)
        #expect(tally.share(of: .users) == nil)
    }

    @Test("keeps a few kinds of complaints, and counts all")
    func complaints() {
        var tally = LoadTally()
        for number in 0..<100 { tally.complain("kind \(number)") }
        for _ in 0..<5 { tally.complain("kind 0") }
        #expect(tally.count(of: .errors) == 105)
        #expect(tally.complaints.count == 20)
        #expect(tally.complaints["kind 0"] == 6)
    }
}
