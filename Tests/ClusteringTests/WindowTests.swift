import BinaryCoding
import TestSupport
import Testing
import Vocabulary

@testable import Clustering

private func message(_ number: UInt64, series: UInt64 = 1, after entry: UInt64 = 0) -> NodeMessage {
    NodeMessage(
        series: series, number: number, position: LedgerPosition(entry: entry, serial: 0), kind: .letter, body: [1])
}

@Suite("Y16 What one node hears from another")
struct ReceiveWindowTests {
    private let start = Instant(milliseconds: 1_000)

    /// The numbers that were told.
    private func told(
        _ receiveWindow: inout ReceiveWindow, _ messages: [NodeMessage], at now: Instant, reached: UInt64 = 0
    ) -> [UInt64] {
        var numbers: [UInt64] = []
        for message in messages {
            if receiveWindow.received(message, at: now, hasReached: { $0.entry <= reached }) {
                numbers.append(message.number)
            }
            while let next = receiveWindow.next(at: now, hasReached: { $0.entry <= reached }) {
                numbers.append(next.number)
            }
        }
        return numbers
    }

    @Test("is told in the order of its numbers, each once, however it comes")
    func order() {
        var receiveWindow = ReceiveWindow()
        let numbers = self.told(&receiveWindow, [2, 1, 1, 2, 4, 3, 5, 3].map { message($0) }, at: self.start)
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(receiveWindow.last == 5 && receiveWindow.missed == 0 && receiveWindow.deadline == nil)
    }

    @Test("waits for the changes that its sender knew of, and what comes behind it waits too")
    func changes() {
        var receiveWindow = ReceiveWindow()
        let isSilent = self.told(&receiveWindow, [message(1, after: 9), message(2)], at: self.start, reached: 8).isEmpty
        #expect(isSilent)
        #expect(receiveWindow.deadline == self.start + ReceiveWindow.changeTimeout)
        let first = receiveWindow.next(at: self.start, hasReached: { $0.entry <= 9 })
        let second = receiveWindow.next(at: self.start, hasReached: { $0.entry <= 9 })
        #expect([first?.number, second?.number] == [1, 2])
    }

    @Test("is told without a change that never comes, and without what was lost, after a while")
    func lost() {
        var receiveWindow = ReceiveWindow()
        let isSilent = self.told(&receiveWindow, [message(1, after: 9), message(4)], at: self.start).isEmpty
        #expect(isSilent)
        let change = self.start + ReceiveWindow.changeTimeout
        let isFirst = receiveWindow.next(at: change, hasReached: { _ in false })?.number == 1
        #expect(isFirst)
        let behindGap = receiveWindow.next(at: change, hasReached: { _ in true })
        #expect(behindGap == nil)
        #expect(receiveWindow.deadline == self.start + ReceiveWindow.gapTimeout)
        let isBehindGap =
            receiveWindow.next(at: self.start + ReceiveWindow.gapTimeout, hasReached: { _ in true })?.number == 4
        #expect(isBehindGap)
        #expect(receiveWindow.missed == 2 && receiveWindow.deadline == nil)
    }

    @Test("begins anew with a later series, and of an earlier one nothing counts")
    func series() {
        var receiveWindow = ReceiveWindow()
        let told = self.told(&receiveWindow, [message(1), message(2), message(1, series: 5)], at: self.start)
        #expect(told == [1, 2, 1])
        let toldLater = self.told(&receiveWindow, [message(3), message(2, series: 5)], at: self.start)
        #expect(toldLater == [2])
    }

    @Test("has bounds, whatever numbers come")
    func bounds() {
        var receiveWindow = ReceiveWindow()
        for number in 2...UInt64(ReceiveWindow.mostEarly + 50) {
            _ = receiveWindow.received(message(number), at: self.start, hasReached: { _ in true })
        }
        let late = self.start + ReceiveWindow.gapTimeout
        var count = 0
        while receiveWindow.next(at: late, hasReached: { _ in true }) != nil { count += 1 }
        #expect(count == ReceiveWindow.mostEarly)
        _ = receiveWindow.received(message(.max - 1), at: late, hasReached: { _ in true })
        let isLast =
            receiveWindow.next(at: late + ReceiveWindow.gapTimeout, hasReached: { _ in true })?.number == .max - 1
        #expect(isLast)
        #expect((try? NodeMessage(decoding: message(.max).encoded.span)) == nil)
        #expect((try? NodeMessage(decoding: message(0).encoded.span)) == nil)
    }
}

@Suite("Y16 What one node has to say to another")
struct SendWindowTests {
    private func numbers(_ messages: ArraySlice<[UInt8]>) -> [UInt64] {
        messages.compactMap { try? NodeMessage(decoding: $0.span).number }
    }

    private func filled(_ count: Int) -> SendWindow {
        var sendWindow = SendWindow(series: 3)
        for _ in 0..<count { sendWindow.add([1], .letter, at: .start) }
        return sendWindow
    }

    @Test("is given to a way once, and again from what was received when that way breaks")
    func breaks() {
        var sendWindow = self.filled(5)
        let first = self.numbers(sendWindow.takeUnsent())
        #expect(first == [1, 2, 3, 4, 5])
        let isOver = sendWindow.takeUnsent().isEmpty
        #expect(isOver && !sendWindow.hasUnsent)
        sendWindow.acknowledged(3, through: 2)
        sendWindow.resend()
        sendWindow.add([1], .letter, at: .start)
        let again = self.numbers(sendWindow.takeUnsent())
        #expect(again == [3, 4, 5, 6])
        sendWindow.acknowledged(3, through: 6)
        #expect(sendWindow.isEmpty)
        sendWindow.resend()
        let isDone = sendWindow.takeUnsent().isEmpty
        #expect(isDone)
    }

    @Test("is not taken for received by words of another series or of what was never said")
    func otherSeries() {
        var sendWindow = self.filled(3)
        sendWindow.acknowledged(2, through: 3)
        sendWindow.acknowledged(3, through: 4)
        let all = self.numbers(sendWindow.takeUnsent())
        #expect(all == [1, 2, 3])
        sendWindow.acknowledged(0, through: 0)
        #expect(!sendWindow.isEmpty)
    }

    @Test("is kept up to a bound, beyond which the first are dropped")
    func bounds() {
        var sendWindow = self.filled(SendWindow.mostKept + 10)
        let startsLater = self.numbers(sendWindow.takeUnsent()).first == 11
        #expect(startsLater)
        sendWindow.resend()
        let isBounded = sendWindow.takeUnsent().count == SendWindow.mostKept
        #expect(isBounded)
        var large = SendWindow(series: 3)
        for _ in 0..<5 { large.add([UInt8](repeating: 0, count: 1 << 20), .letter, at: .start) }
        let newest = self.numbers(large.takeUnsent())
        #expect(newest == [3, 4, 5])
    }

    @Test("reaches the other side once and in order over ways that break at any moment", arguments: 1...20)
    func storm(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (sendWindow, receiveWindow) = (SendWindow(series: 1), ReceiveWindow())
        var way: [[UInt8]] = []
        var (said, told) = (0, [UInt8]())
        func deliver(_ count: Int) {
            for bytes in way.prefix(count) {
                guard let message = try? NodeMessage(decoding: bytes.span) else { continue }
                let now = Instant(milliseconds: 0)
                if receiveWindow.received(message, at: now, hasReached: { _ in true }) { told.append(message.body[0]) }
                while let next = receiveWindow.next(at: now, hasReached: { _ in true }) { told.append(next.body[0]) }
            }
            way.removeFirst(min(count, way.count))
        }
        while said < 200 {
            switch UInt8.random(in: 0..<10, using: &random) {
            case 0..<5:
                sendWindow.add([UInt8(said)], .letter, at: .start)
                said += 1
                way += sendWindow.takeUnsent()
            case 5..<8: deliver(Int.random(in: 0...4, using: &random))
            case 8: sendWindow.acknowledged(receiveWindow.series, through: receiveWindow.last)
            default:
                // Some of what was on the way is lost with it, and some comes late, behind what takes the other way.
                way = Array(way.prefix(Int.random(in: 0...way.count, using: &random)))
                sendWindow.resend()
                way = Array(sendWindow.takeUnsent()) + way
            }
        }
        sendWindow.resend()
        way += sendWindow.takeUnsent()
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
