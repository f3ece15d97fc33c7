import Testing

@testable import Pacing

@Suite("Places of lanes")
struct LanePlacesTests {
    @Test("a lane is broken where a place comes without the one before it")
    func broken() {
        var places = LanePlaces()
        #expect(!places.areBroken(by: [(1, 1), (2, 1), (1, 2)]))
        #expect(places.areBroken(by: [(1, 1), (2, 2), (1, 2)]))
        places.saw([(1, 1), (1, 2), (2, 3)])
        #expect(!places.areBroken(by: [(1, 3), (2, 4), (1, 4)]))
        #expect(places.areBroken(by: [(2, 4), (1, 3), (1, 5)]))
    }

    @Test("what is told once more breaks nothing")
    func again() {
        var places = LanePlaces()
        places.saw([(1, 5)])
        places.saw([(1, 2)])
        #expect(!places.areBroken(by: [(1, 2), (1, 6)]))
    }

    @Test("too many lanes are forgotten")
    func bounded() {
        var places = LanePlaces()
        places.saw((0..<Int64(LanePlaces.maximum)).map { ($0, 1) })
        #expect(!places.areBroken(by: [(0, 2)]))
        places.saw([(-1, 1)])
        #expect(places.areBroken(by: [(0, 2)]))
    }
}
