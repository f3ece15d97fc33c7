import Testing

@testable import Service

@Suite("An FLSocketIM app's place in a conversation")
struct FLPlaceTests {
    @Test("goes as far as all before was answered, in whatever order the answers come")
    func answers() {
        var place = FLPlace(taken: 3, newest: 3)
        for number in UInt64(1)...3 { place.told(number) }
        place.answered(2)
        #expect(place.mark() == nil)
        place.answered(1)
        #expect(place.mark() == 2)
        place.skipped(4)
        #expect(place.mark() == nil)
        place.answered(3)
        #expect(place.mark() == 4)
        #expect(place.mark() == nil)
    }

    @Test("takes what is new only when nothing is missing before it")
    func gap() {
        var place = FLPlace(taken: 200, newest: 300)
        #expect(place.isBehind)
        #expect([301, 150].map { place.came($0) } == [false, false])
        place.took(upTo: 300, asked: 300)
        #expect(place.isBehind)
        place.took(upTo: 301, asked: 301)
        #expect(!place.isBehind)
        #expect([302, 302, 310].map { place.came($0) } == [true, false, true])
        #expect(!place.isBehind)
    }

    @Test("does not look for ever for what is no longer there")
    func swept() {
        var place = FLPlace(taken: 5, newest: 9)
        _ = place.came(10)
        place.took(upTo: nil, asked: 9)
        #expect(place.isBehind)
        place.took(upTo: nil, asked: 10)
        #expect(!place.isBehind)
        #expect([11].map { place.came($0) } == [true])
    }

    @Test("waits with the next portion for answers, and tells nothing more to who gives none")
    func pace() {
        var place = FLPlace(taken: 100, newest: 200)
        for number in UInt64(1)...100 { place.told(number) }
        #expect(!place.mayTakeMore)
        for number in UInt64(1)...95 { place.answered(number) }
        #expect(place.mayTakeMore)
        var silent = FLPlace(taken: 0, newest: 0)
        let told = (UInt64(1)...2000).filter { number in
            let isNext = silent.came(number)
            if isNext { silent.told(number) }
            return isNext
        }
        #expect(told.count == 500)
    }
}
