import Conversing
import TestSupport
import Testing
import Vocabulary

@testable import Switchboard

@Suite("How often the others hear how far somebody got")
struct ReceiptPacerTests {
    private static let start = Instant(milliseconds: 1000)

    private static func place(_ user: String, _ conversation: String = "c") throws -> ReceiptPacer.Place {
        try ReceiptPacer.Place(
            user: #require(UserID(user)), conversation: #require(ConversationID(conversation)))
    }

    @Test("E17.paced two are told at once, the third when its second is over, and those behind it with it")
    func paced() throws {
        var pacer = ReceiptPacer()
        let place = try Self.place("a")
        #expect(pacer.take(place, at: Self.start) == .now)
        #expect(pacer.take(place, at: Self.start) == .now)
        #expect(pacer.take(place, at: Self.start) == .later(.seconds(1)))
        #expect(pacer.take(place, at: Self.start) == .waiting)
        #expect(try pacer.take(Self.place("b"), at: Self.start) == .now)
        #expect(try pacer.take(Self.place("a", "d"), at: Self.start) == .now)
        let then = Self.start.advanced(by: .seconds(1))
        pacer.told(place, at: then)
        #expect(pacer.take(place, at: then) == .later(.seconds(1)))
    }

    @Test("E17.paced in a long row there is at most one a second, whatever comes when")
    func longRow() throws {
        var (pacer, random) = (ReceiptPacer(), SeededRandom(seed: 12))
        let place = try Self.place("a")
        var (now, told, due) = (Self.start, 0, Instant?.none)
        for _ in 0..<20_000 {
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...40, using: &random)))
            if let moment = due, moment <= now {
                pacer.told(place, at: moment)
                (told, due) = (told + 1, nil)
            }
            switch pacer.take(place, at: now) {
            case .now: told += 1
            case .later(let wait): due = now.advanced(by: wait)
            case .waiting: #expect(due != nil)
            }
        }
        let seconds = Int(Self.start.duration(to: now).components.seconds)
        #expect((seconds - 2...seconds + 3).contains(told), "\(told) in \(seconds) s")
    }
}
