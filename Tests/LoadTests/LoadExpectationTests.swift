import Load
import Testing

@Suite("An expectation of a load run")
struct LoadExpectationTests {
    private var tally: LoadTally {
        var tally = LoadTally()
        for milliseconds in 1...100 { tally.add(.milliseconds(milliseconds), to: .ack) }
        tally.count(.deliveries, 999)
        tally.count(.lost)
        tally.count(.calls, 4)
        return tally
    }

    @Test(
        "is met or not by times, counts and shares",
        arguments: [
            ("p99 ack < 105ms", true), ("p99 ack < 99ms", false), ("p50 ack >= 50ms", true), ("mean ack < 51ms", true),
            ("max ack <= 100ms", true), ("max ack > 100ms", false), ("p99.9 ack < 1s", true),
            ("lost = 1", true), ("lost = 0", false), ("lost <= 0.1%", true), ("lost < 0.1%", false),
            ("calls >= 4", true), ("failed-calls = 0", true), ("failed-calls < 1%", true),
        ])
    func verdicts(_ text: String, _ isMet: Bool) throws {
        #expect(try #require(LoadExpectation(text)).isMet(by: self.tally) == isMet)
    }

    @Test("of a time that was never measured is not met", arguments: ["p99 resume < 1h", "max resume >= 0s"])
    func unmeasured(_ text: String) throws {
        #expect(try #require(LoadExpectation(text)).isMet(by: self.tally) == false)
    }

    @Test(
        "in another form is refused",
        arguments: [
            "", "ack", "p99 ack", "p99 ack < ", "p99 ack < 50", "p99 nothing < 5ms", "p101 ack < 5ms", "px ack < 5ms",
            "p99 ack << 5ms", "lost = many", "lost = 1ms", "users < 5%", "p99 ack < 5ms now", "lost = nan",
            "lost < inf%",
        ])
    func refusals(_ text: String) {
        #expect(LoadExpectation(text) == nil)
    }

    @Test("is shown as it was written, with single spaces")
    func text() throws {
        #expect(try #require(LoadExpectation("  p99  ack <  5ms")).text == "p99 ack < 5ms")
    }
}
