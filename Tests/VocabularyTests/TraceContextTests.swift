import TestSupport
import Testing
import Vocabulary

@Suite("What a request follows from")
struct TraceContextTests {
    private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("P11.trace is read and written as W3C has it")
    func reads() throws {
        let context = try #require(TraceContext(Self.example))
        #expect(context.trace == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.parent == "00f067aa0ba902b7" && context.isSampled)
        #expect(context.text == Self.example)
        #expect(TraceContext("01" + Self.example.dropFirst(2) + "-more")?.trace == context.trace)
        #expect(TraceContext(Self.example.dropLast(2) + "02")?.isSampled == false)
    }

    @Test(
        "P11.trace what is none is nil",
        arguments: [
            "", "00", example + "-more", "ff" + example.dropFirst(2), example.uppercased(),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "00_" + example.dropFirst(3),
        ])
    func refused(text: String) { #expect(TraceContext(text) == nil) }

    @Test("P11.trace a cut at any byte is none, and a step keeps the trace")
    func steps() throws {
        for end in 0..<Self.example.count { #expect(TraceContext(String(Self.example.prefix(end))) == nil) }
        var random = SeededRandom(seed: 5)
        let fresh = TraceContext.fresh(using: &random)
        #expect(TraceContext(fresh.text) == fresh)
        let next = fresh.next(using: &random)
        #expect(next.trace == fresh.trace && next.parent != fresh.parent && TraceContext(next.text) == next)
    }
}
