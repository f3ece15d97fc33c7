import BinaryCoding
import TestSupport
import Testing
import Vocabulary

@testable import Clustering

private func parcel(_ number: UInt64, series: UInt64 = 1, after entry: UInt64 = 0) -> NodeParcel {
    NodeParcel(
        series: series, number: number, position: LedgerPosition(entry: entry, serial: 0), kind: .letter, body: [1])
}

@Suite("Y16 What one node hears from another")
struct ParcelInboxTests {
    private let start = Instant(milliseconds: 1_000)

    /// The numbers that were told.
    private func told(
        _ inbox: inout ParcelInbox, _ parcels: [NodeParcel], at now: Instant, reached: UInt64 = 0
    ) -> [UInt64] {
        var numbers: [UInt64] = []
        for parcel in parcels {
            if inbox.heard(parcel, at: now, hasReached: { $0.entry <= reached }) { numbers.append(parcel.number) }
            while let next = inbox.next(at: now, hasReached: { $0.entry <= reached }) { numbers.append(next.number) }
        }
        return numbers
    }

    @Test("is told in the order of its numbers, each once, however it comes")
    func order() {
        var inbox = ParcelInbox()
        let numbers = self.told(&inbox, [2, 1, 1, 2, 4, 3, 5, 3].map { parcel($0) }, at: self.start)
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(inbox.last == 5 && inbox.missed == 0 && inbox.deadline == nil)
    }

    @Test("waits for the changes that its sender knew of, and what comes behind it waits too")
    func changes() {
        var inbox = ParcelInbox()
        let isSilent = self.told(&inbox, [parcel(1, after: 9), parcel(2)], at: self.start, reached: 8).isEmpty
        #expect(isSilent)
        #expect(inbox.deadline == self.start + ParcelInbox.changeTimeout)
        let first = inbox.next(at: self.start, hasReached: { $0.entry <= 9 })
        let second = inbox.next(at: self.start, hasReached: { $0.entry <= 9 })
        #expect([first?.number, second?.number] == [1, 2])
    }

    @Test("is told without a change that never comes, and without what was lost, after a while")
    func lost() {
        var inbox = ParcelInbox()
        let isSilent = self.told(&inbox, [parcel(1, after: 9), parcel(4)], at: self.start).isEmpty
        #expect(isSilent)
        let change = self.start + ParcelInbox.changeTimeout
        let isFirst = inbox.next(at: change, hasReached: { _ in false })?.number == 1
        #expect(isFirst)
        let behindGap = inbox.next(at: change, hasReached: { _ in true })
        #expect(behindGap == nil)
        #expect(inbox.deadline == self.start + ParcelInbox.gapTimeout)
        let isBehindGap = inbox.next(at: self.start + ParcelInbox.gapTimeout, hasReached: { _ in true })?.number == 4
        #expect(isBehindGap)
        #expect(inbox.missed == 2 && inbox.deadline == nil)
    }

    @Test("begins anew with a later series, and of an earlier one nothing counts")
    func series() {
        var inbox = ParcelInbox()
        let told = self.told(&inbox, [parcel(1), parcel(2), parcel(1, series: 5)], at: self.start)
        #expect(told == [1, 2, 1])
        let toldLater = self.told(&inbox, [parcel(3), parcel(2, series: 5)], at: self.start)
        #expect(toldLater == [2])
    }

    @Test("has bounds, whatever numbers come")
    func bounds() {
        var inbox = ParcelInbox()
        for number in 2...UInt64(ParcelInbox.mostEarly + 50) {
            _ = inbox.heard(parcel(number), at: self.start, hasReached: { _ in true })
        }
        let late = self.start + ParcelInbox.gapTimeout
        var count = 0
        while inbox.next(at: late, hasReached: { _ in true }) != nil { count += 1 }
        #expect(count == ParcelInbox.mostEarly)
        _ = inbox.heard(parcel(.max - 1), at: late, hasReached: { _ in true })
        let isLast = inbox.next(at: late + ParcelInbox.gapTimeout, hasReached: { _ in true })?.number == .max - 1
        #expect(isLast)
        #expect((try? NodeParcel(decoding: parcel(.max).encoded.span)) == nil)
        #expect((try? NodeParcel(decoding: parcel(0).encoded.span)) == nil)
    }
}

@Suite("Y16 What one node has to say to another")
struct ParcelOutboxTests {
    private func numbers(_ parcels: ArraySlice<[UInt8]>) -> [UInt64] {
        parcels.compactMap { try? NodeParcel(decoding: $0.span).number }
    }

    private func filled(_ count: Int) -> ParcelOutbox {
        var outbox = ParcelOutbox(series: 3)
        for _ in 0..<count { outbox.add([1], .letter, at: .start) }
        return outbox
    }

    @Test("is given to a way once, and again from what was received when that way breaks")
    func wayBreaks() {
        var outbox = self.filled(5)
        let first = self.numbers(outbox.takeWaiting())
        #expect(first == [1, 2, 3, 4, 5])
        let isOver = outbox.takeWaiting().isEmpty
        #expect(isOver && !outbox.isWaiting)
        outbox.received(3, through: 2)
        outbox.wayBroke()
        outbox.add([1], .letter, at: .start)
        let again = self.numbers(outbox.takeWaiting())
        #expect(again == [3, 4, 5, 6])
        outbox.received(3, through: 6)
        #expect(outbox.isEmpty)
        outbox.wayBroke()
        let isQuiet = outbox.takeWaiting().isEmpty
        #expect(isQuiet)
    }

    @Test("is not taken for received by words of another series or of what was never said")
    func otherSeries() {
        var outbox = self.filled(3)
        outbox.received(2, through: 3)
        outbox.received(3, through: 4)
        let all = self.numbers(outbox.takeWaiting())
        #expect(all == [1, 2, 3])
        outbox.received(0, through: 0)
        #expect(!outbox.isEmpty)
    }

    @Test("is kept up to a bound, beyond which the first are dropped")
    func bounds() {
        var outbox = self.filled(ParcelOutbox.mostKept + 10)
        let startsLater = self.numbers(outbox.takeWaiting()).first == 11
        #expect(startsLater)
        outbox.wayBroke()
        let isBounded = outbox.takeWaiting().count == ParcelOutbox.mostKept
        #expect(isBounded)
        var large = ParcelOutbox(series: 3)
        for _ in 0..<5 { large.add([UInt8](repeating: 0, count: 1 << 20), .letter, at: .start) }
        let newest = self.numbers(large.takeWaiting())
        #expect(newest == [3, 4, 5])
    }

    @Test("reaches the other side once and in order over ways that break at any moment", arguments: 1...20)
    func storm(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (outbox, inbox) = (ParcelOutbox(series: 1), ParcelInbox())
        var way: [[UInt8]] = []
        var (said, told) = (0, [UInt8]())
        func deliver(_ count: Int) {
            for bytes in way.prefix(count) {
                guard let parcel = try? NodeParcel(decoding: bytes.span) else { continue }
                let now = Instant(milliseconds: 0)
                if inbox.heard(parcel, at: now, hasReached: { _ in true }) { told.append(parcel.body[0]) }
                while let next = inbox.next(at: now, hasReached: { _ in true }) { told.append(next.body[0]) }
            }
            way.removeFirst(min(count, way.count))
        }
        while said < 200 {
            switch UInt8.random(in: 0..<10, using: &random) {
            case 0..<5:
                outbox.add([UInt8(said)], .letter, at: .start)
                said += 1
                way += outbox.takeWaiting()
            case 5..<8: deliver(Int.random(in: 0...4, using: &random))
            case 8: outbox.received(inbox.series, through: inbox.last)
            default:
                // Some of what was on the way is lost with it, and some comes late, behind what takes the other way.
                way = Array(way.prefix(Int.random(in: 0...way.count, using: &random)))
                outbox.wayBroke()
                way = Array(outbox.takeWaiting()) + way
            }
        }
        outbox.wayBroke()
        way += outbox.takeWaiting()
        deliver(.max)
        #expect(told == (0..<200).map { UInt8($0) })
    }
}

@Suite("Y16 A node that was not reached")
struct LinkRetryTests {
    @Test("is tried again after ever longer times, and at once after a success")
    func grows() {
        var retry = LinkRetry()
        var (now, waits) = (Instant(milliseconds: 0), [Int]())
        for _ in 0..<7 {
            retry.failed(at: now)
            var wait = 0
            while !retry.isDue(at: now) { (now, wait) = (now + .seconds(1), wait + 1) }
            waits.append(wait)
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30])
        retry.failed(at: now)
        retry.succeeded()
        #expect(retry.isDue(at: now))
    }
}
