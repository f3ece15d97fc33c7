import Pacing
import Testing

@Suite("Pushes that were not read")
struct UnreadPushesTests {
    private typealias Pushes = UnreadPushes<String, String>

    @Test("H16 are told once, when the last of a place was read")
    func read() {
        var pushes = Pushes(maximumPlaces: 10)
        pushes.pushed(1, of: "tea", to: "phone")
        pushes.pushed(2, of: "tea", to: "phone")
        pushes.pushed(1, of: "tea", to: "desk")
        pushes.pushed(7, of: "coffee", to: "phone")
        #expect(Set(pushes.read("tea", through: 1).keys) == ["desk"])
        #expect(pushes.read("tea", through: 2).mapValues(\.count) == ["phone": 2])
        #expect(pushes.read("tea", through: 2).isEmpty)
        #expect(pushes["coffee", "phone"]?.number == 7 && pushes["tea", "phone"] == nil)
    }

    @Test("H16 are remembered of a bounded number of places, the newest")
    func bounded() {
        var pushes = Pushes(maximumPlaces: 2)
        for place in ["a", "b", "a", "c"] { pushes.pushed(1, of: place, to: "phone") }
        #expect(pushes.read("a", through: 1).isEmpty)
        #expect(pushes.read("b", through: 1).count == 1)
        #expect(pushes.read("c", through: 1).count == 1)
        for number in 1...5 { pushes.pushed(UInt64(number), of: "d", to: "phone") }
        #expect(pushes.read("d", through: 5).values.map(\.count) == [5])
    }
}
