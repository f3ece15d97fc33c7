import AudioStreams
import MediaStreams
import Bytes
import RTP
import TestSupport
import Testing
import VirtualCalls
import Vocabulary

@Suite("The reports of a transport")
struct MediaReporterTests {
    /// All that one end says in a while, with when it said it, in milliseconds.
    private static func listen(
        seconds: Int, sender: Bool = true, hears: Bool = true,
        _ change: (inout MediaReporterSettings) -> Void = { _ in }
    ) throws -> [(time: Int, types: [UInt8])] {
        var settings = MediaReporterSettings(ssrc: 7, cname: "somebody")
        change(&settings)
        var reporter = MediaReporter(settings, at: Instant(nanoseconds: 0))
        var outbox = MediaOutbox()
        var said: [(Int, [UInt8])] = []
        let info = RTCPSenderInfo(time: NTPTime(rawValue: 0), timestamp: 5, packets: 6, octets: 7)
        let reception = RTCPReport(ssrc: 9, fractionLost: 0, lost: 0, highestSequence: 1, jitter: 0)
        for millisecond in 0..<(seconds * 1000) {
            let now = Instant(milliseconds: Int64(millisecond))
            guard reporter.findDeadline() <= now else { continue }
            if reporter.isReportDue(at: now) {
                let report = MediaReport(
                    senders: sender ? [.init(ssrc: 7, info: info)] : [], receptions: hears ? [reception] : [])
                reporter.report(report, at: now, into: &outbox)
            }
            reporter.clockAdvanced(to: now, into: &outbox)
            said += outbox.packets.map { packet in (millisecond, outbox.withBytes(of: packet) { Self.types($0) }) }
            outbox.removeAll()
        }
        return said
    }

    private static func types(_ bytes: Span<UInt8>) -> [UInt8] {
        guard var datagram = try? RTCPDatagram(parsing: bytes, allowsReducedSize: false) else { return [] }
        var types: [UInt8] = []
        while let packet = datagram.next() { types.append(packet.type.rawValue) }
        return types
    }

    @Test("come at uneven times, once a second on the whole, and the first one soon")
    func interval() throws {
        let said = try Self.listen(seconds: 300)
        #expect(said.allSatisfy { $0.types == [200, 202] })
        let first = try #require(said.first)
        #expect((200...700).contains(first.time))
        #expect((300...400).contains(said.count))
        let pauses = zip(said, said.dropFirst()).map { $1.time - $0.time }
        #expect(pauses.allSatisfy { (400...1300).contains($0) })
        #expect(Set(pauses).count > 50)
    }

    @Test("take no more than a twentieth of the media")
    func bandwidth() throws {
        let said = try Self.listen(seconds: 300) { $0.sessionBitRate = 4000 }
        // Two ends may say 25 octets a second together; each report has some hundred, with UDP and IP.
        #expect((20...50).contains(said.count))
    }

    @Test("say the time of their own where nothing is sent")
    func receiverOnly() throws {
        let said = try Self.listen(seconds: 10, sender: false) { $0.sendsExtendedReports = true }
        #expect(said.allSatisfy { $0.types == [201, 202, 207] })
        let plain = try Self.listen(seconds: 10, sender: false, hears: false)
        #expect(plain.allSatisfy { $0.types == [201, 202] })
    }

    @Test("tell both ends how long the way is, also the one that sends nothing")
    func roundTrip() throws {
        var call = VirtualCall(seed: 2, line: VirtualLine.even(35))
        call.first.voice = .packets([[0x78, 1, 2, 3]])
        call.run(seconds: 10)
        #expect(abs(try #require(call.first.reporter.roundTrip) / .milliseconds(1) - 70) < 2)
        #expect(abs(try #require(call.second.reporter.roundTrip) / .milliseconds(1) - 70) < 2)
    }

    @Test("tell what is lost")
    func loss() throws {
        var call = VirtualCall(
            seed: 2, reporter: { $0.sendsTransportFeedback = false }, line: VirtualLine.even(35, loss: 0.1))
        call.first.voice = .packets([[0x78, 1, 2, 3]])
        call.run(seconds: 120)
        let fractions = call.first.reports.map(\.fractionLost)
        #expect(abs(fractions.reduce(0, +) / Double(fractions.count) - 0.1) < 0.03)
        let last = try #require(call.first.reports.last)
        #expect(abs(Double(last.packetsLost) / 6000 - 0.1) < 0.02)
        #expect(call.first.estimates.isEmpty)
    }

    @Test("tell how the call is to its listener", arguments: [(0.0, 85), (0.05, 45), (0.3, 0)])
    func quality(loss: Double, least: Int) throws {
        var call = VirtualCall(
            seed: 2, sender: { $0.payloadTypes.red = nil }, line: VirtualLine.even(35, loss: loss))
        call.first.voice = .packets([[0x78, 1, 2, 3]])
        call.second.isListening = true
        call.run(seconds: 60)
        let quality = try #require(call.first.qualities.last)
        #expect(quality.ssrc == 1)
        #expect(abs(Double(quality.lossRate) / 256 - loss) < 0.04)
        #expect(Int(quality.rating) >= least)
        #expect(loss < 0.1 || quality.rating < 50)
        #expect((70...80).contains(quality.roundTrip))
        #expect(loss < 0.1 || quality.burstDensity > 60)
        #expect((10...45).contains(quality.listeningGrade))
    }

    @Test("tell five times a second which packets of the transport arrived, each once")
    func feedback() throws {
        var call = VirtualCall(seed: 3, line: VirtualLine.even(35, jitter: 15, loss: 0.1))
        call.first.voice = .packets([[0x78, 1, 2, 3]])
        call.run(seconds: 60)
        #expect((220...300).contains(call.first.estimates.count))
        let (received, lost) = call.first.estimates.reduce((0, 0)) { ($0.0 + $1.received, $0.1 + $1.lost) }
        // Some feedback gets lost itself.
        #expect((2500...3000).contains(received + lost))
        #expect(abs(Double(lost) / Double(received + lost) - 0.1) < 0.03)
        #expect(call.second.estimates.isEmpty)
    }

    @Test("tell that an end leaves")
    func goodbye() throws {
        var call = VirtualCall(seed: 3, line: VirtualLine.even(35))
        call.first.voice = .packets([[0x78, 1, 2, 3]])
        call.run(seconds: 2)
        call.first.hangUp(at: call.now)
        call.run(seconds: 1)
        #expect(call.second.goodbyes == [1])
    }

    @Test(
        "are thrown away when they are not whole, and never believed beyond reason", arguments: 0..<10 as Range<UInt64>)
    func junk(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var reporter = MediaReporter(MediaReporterSettings(ssrc: 7, cname: "x"), at: Instant(nanoseconds: 0))
        var outbox = MediaOutbox()
        for index in 0..<2000 {
            let now = Instant(nanoseconds: Int64(index) * 10_000_000)
            var bytes = random.bytes(.random(in: 0...80, using: &random) / 4 * 4)
            if bytes.count >= 4 {
                bytes[0] = 0x80 | (bytes[0] & 0x1F)
                bytes[1] = 200 + bytes[1] % 8
                bytes[2] = 0
                bytes[3] = UInt8(bytes.count / 4 - 1)
            }
            reporter.received(bytes.span, at: now)
            while let event = reporter.nextEvent() {
                guard case .feedback(let estimate) = event else { continue }
                #expect((10_000...1_000_000).contains(estimate.bitRate))
            }
            if reporter.isReportDue(at: now) { reporter.report(MediaReport(), at: now, into: &outbox) }
            reporter.clockAdvanced(to: now, into: &outbox)
        }
        #expect(outbox.packets.allSatisfy { $0.range.count < 1500 })
    }
}
