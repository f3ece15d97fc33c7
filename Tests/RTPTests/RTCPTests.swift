import Bytes
import RTP
import TestSupport
import Testing

@Suite("A datagram of RTCP")
struct RTCPTests {
    static let info = RTCPSenderInfo(
        time: NTPTime(rawValue: 0x0102_0304_0506_0708), timestamp: 0x1112_1314, packets: 7, octets: 900)
    static let reports = [
        RTCPReport(
            ssrc: 5, fractionLost: 64, lost: -3, highestSequence: 0x1_0005, jitter: 12, lastReport: 0xAABB_CCDD,
            sinceLastReport: NTPInterval(rawValue: 0x8000)),
        RTCPReport(ssrc: 6, fractionLost: 0, lost: 0x7F_FFFF, highestSequence: 9, jitter: 0),
    ]

    static let quality: RTCPCallQuality = {
        var quality = RTCPCallQuality(ssrc: 5)
        quality.lossRate = 12
        quality.discardRate = 3
        quality.burstDensity = 200
        quality.gapDensity = 1
        quality.burstDuration = 240
        quality.gapDuration = 5000
        quality.roundTrip = 101
        quality.endSystemDelay = 85
        quality.rating = 88
        quality.listeningGrade = 42
        quality.talkingGrade = 41
        quality.bufferNominal = 60
        quality.bufferMaximum = 120
        quality.bufferLimit = 2000
        return quality
    }()

    /// One datagram with a packet of each kind.
    static let everything: [UInt8] = {
        var writer = ByteWriter()
        RTCPWriter.senderReport(1, Self.info, Self.reports, to: &writer)
        RTCPWriter.receiverReport(2, [], to: &writer)
        RTCPWriter.canonicalName("somebody", of: 1, to: &writer)
        RTCPWriter.nack(from: 1, about: 5, [65_535, 0, 16, 17, 40], to: &writer)
        RTCPWriter.pictureLoss(from: 1, about: 5, to: &writer)
        RTCPWriter.fullIntra(from: 1, about: 5, number: 9, to: &writer)
        RTCPWriter.bandwidthEstimate(from: 1, about: [5, 6], 1_234_567, to: &writer)
        RTCPWriter.extendedReport(
            from: 1, time: NTPTime(rawValue: 77),
            echoes: [RTCPReceiverTimeEcho(ssrc: 5, lastReport: 8, sinceLastReport: NTPInterval(rawValue: 9))],
            quality: [Self.quality], to: &writer)
        let arrivals: [Int64?] = [1000, nil, 1010, 900, 5000]
        _ = RTCPWriter.transportWide(
            from: 1, about: 5, first: 65_534, arrivals: arrivals.span, number: 3, to: &writer)
        RTCPWriter.goodbye([1, 2], reason: "over", to: &writer)
        return writer.bytes
    }()

    private static func parse(_ bytes: [UInt8], allowsReducedSize: Bool = true) throws {
        _ = try RTCPDatagram(parsing: bytes.span, allowsReducedSize: allowsReducedSize)
    }

    /// Everything that can be read in a datagram, in words.
    static func transcript(_ bytes: [UInt8]) throws(ByteError) -> [String] {
        var datagram = try RTCPDatagram(parsing: bytes.span)
        var said: [String] = []
        while let packet = datagram.next() {
            said.append("\(packet.type.rawValue)/\(packet.count) \(packet.ssrc ?? 0) \(packet.mediaSSRC ?? 0)")
            if let info = packet.senderInfo { said.append("\(info.time.rawValue) \(info.octets)") }
            packet.forEachReport { said.append("report \($0.ssrc) \($0.lost) \($0.highestSequence)") }
            packet.forEachDescription { item in
                said.append(
                    "\(item.kind) \(String(decoding: (0..<item.range.count).map { packet.bytes[item.range.lowerBound + $0] }, as: UTF8.self))"
                )
            }
            packet.forEachMissing { said.append("missing \($0)") }
            if packet.isPictureLoss { said.append("picture") }
            packet.forEachFullIntra { said.append("intra \($0) \($1)") }
            if let estimate = packet.bandwidthEstimate { said.append("estimate \(estimate)") }
            if let time = packet.receiverTime { said.append("time \(time.rawValue)") }
            packet.forEachTimeEcho { said.append("echo \($0.ssrc) \($0.lastReport) \($0.sinceLastReport.rawValue)") }
            packet.forEachCallQuality { said.append("quality \($0.rating)") }
            if let feedback = TransportWideFeedback(packet) {
                feedback.forEach { said.append("\($0) at \($1.map { "\($0)" } ?? "-")") }
            }
            packet.forEachGoodbye { said.append("bye \($0)") }
        }
        return said
    }

    @Test("says everything that was written into it")
    func roundTrip() throws {
        #expect(
            try Self.transcript(Self.everything) == [
                "200/2 1 0", "72623859790382856 900", "report 5 -3 65541", "report 6 8388607 9",
                "201/0 2 0", "202/1 1 0", "1 somebody",
                "205/1 1 5", "missing 65535", "missing 0", "missing 16", "missing 17", "missing 40",
                "206/1 1 5", "picture", "206/4 1 0", "intra 5 9", "206/15 1 0", "estimate 1234560",
                "207/0 1 0", "time 77", "echo 5 8 9", "quality 88",
                "205/15 1 5", "65534 at 1000", "65535 at -", "0 at 1010", "1 at 900", "2 at 5000",
                "203/2 1 0", "bye 1", "bye 2",
            ])
    }

    @Test("reports say all they said, and calls are as good as they were")
    func values() throws {
        var writer = ByteWriter()
        RTCPWriter.receiverReport(2, Self.reports, to: &writer)
        RTCPWriter.extendedReport(from: 2, quality: [Self.quality], to: &writer)
        var datagram = try RTCPDatagram(parsing: writer.bytes.span, allowsReducedSize: false)
        var reports: [RTCPReport] = []
        var qualities: [RTCPCallQuality] = []
        while let packet = datagram.next() {
            packet.forEachReport { reports.append($0) }
            packet.forEachCallQuality { qualities.append($0) }
        }
        #expect(reports == Self.reports && qualities == [Self.quality])
    }

    @Test("is laid out as RFC 3550 and RFC 4585 draw it")
    func layout() {
        var writer = ByteWriter()
        RTCPWriter.receiverReport(0x0102_0304, [Self.reports[0]], to: &writer)
        #expect(Hex.encode(writer.bytes) == "81c90007010203040000000540fffffd000100050000000caabbccdd00008000")
        writer.removeAll()
        RTCPWriter.canonicalName("ab", of: 1, to: &writer)
        #expect(Hex.encode(writer.bytes) == "81ca0003000000010102616200000000")
        writer.removeAll()
        RTCPWriter.nack(from: 1, about: 5, [10, 12], to: &writer)
        #expect(Hex.encode(writer.bytes) == "81cd00030000000100000005000a0002")
        writer.removeAll()
        RTCPWriter.goodbye([1], reason: "x", to: &writer)
        #expect(Hex.encode(writer.bytes) == "81cb00020000000101780000")
    }

    @Test("cut anywhere is refused or is fewer packets", arguments: [everything])
    func cut(bytes: [UInt8]) throws {
        let whole = try Self.transcript(bytes)
        for count in 0..<bytes.count {
            guard let said = try? Self.transcript(Array(bytes.prefix(count))) else { continue }
            #expect(whole.starts(with: said) && count.isMultiple(of: 4))
        }
    }

    @Test("may be padded at its end, by any number, as libwebrtc's feedback is")
    func padding() throws {
        // One packet that came after 37 ms, behind reference 4057090; one byte of padding.
        let bytes = try Hex.decode("afcd0005fa17fa1743032fa0009900013de8021720019401")
        let said = try Self.transcript(bytes)
        #expect(said == ["205/15 4195875351 1124282272", "153 at \(4_057_090 * 256 + 148)"])
        for padding: UInt8 in [0, 21, 255] {
            #expect(throws: ByteError(.outOfRange, at: 23)) { try Self.parse(bytes.dropLast() + [padding]) }
        }
        #expect(throws: ByteError(.outOfRange, at: 23)) { try Self.parse(bytes + Self.everything) }
    }

    @Test(
        "says where it stops making sense",
        arguments: [
            ("", ByteError(.truncated, at: 0)), ("80c800", ByteError(.truncated, at: 3)),
            ("40c90001 00000001", ByteError(.unexpected(0x40), at: 0)),
            ("80c90001 00000001 80bf0000", ByteError(.unexpected(0xBF), at: 9)),
            ("80c90002 00000001", ByteError(.truncated, at: 8)),
            ("81c90001 00000001", ByteError(.truncated, at: 8)),
            ("80c80001 00000001", ByteError(.truncated, at: 8)),
            ("81ca0002 00000001 01056162", ByteError(.truncated, at: 12)),
            ("81ca0001 00000001", ByteError(.truncated, at: 8)),
            ("81ca0002 00000001 01026162", ByteError(.truncated, at: 12)),
            ("82cb0001 00000001", ByteError(.truncated, at: 8)),
            ("81cb0002 00000001 04616263", ByteError(.truncated, at: 12)),
            ("81cd0001 00000001", ByteError(.truncated, at: 8)),
            ("84ce0003 00000001 00000000 00000005", ByteError(.truncated, at: 16)),
            ("8fce0004 00000001 00000000 52454d42 01000001", ByteError(.truncated, at: 20)),
            ("80cf0002 00000001 04000002", ByteError(.truncated, at: 12)),
            ("80cf0003 00000001 04000001 00000000", ByteError(.outOfRange, at: 10)),
            (
                "80c90001 00000001 80cf0003 00000001 04000001 00000000",
                ByteError(.outOfRange, at: 18)
            ),
            // Padding that leaves a piece of an entry.
            ("a1cd0004 00000001 00000005 000a0002 00000001", ByteError(.truncated, at: 19)),
            ("a0cf0003 00000001 01000000 00000002", ByteError(.truncated, at: 14)),
            // Feedback that tells of more packets than it has room for, and a run of none.
            ("8fcd0004 00000001 00000005 00000002 00000100", ByteError(.truncated, at: 20)),
            (
                "8fcd0005 00000001 00000005 00000005 00000100 20050101",
                ByteError(.truncated, at: 24)
            ),
            (
                "8fcd0005 00000001 00000005 00000005 00000100 20000101",
                ByteError(.truncated, at: 24)
            ),
        ] as [(String, ByteError)])
    func offsets(text: String, error: ByteError) throws {
        let bytes = try Hex.decode(text.replacing(" ", with: ""))
        #expect(throws: error) { try Self.parse(bytes) }
    }

    @Test("begins with a report, unless feedback may come alone")
    func reducedSize() throws {
        var writer = ByteWriter()
        RTCPWriter.pictureLoss(from: 1, about: 2, to: &writer)
        try Self.parse(writer.bytes)
        #expect(throws: ByteError(.unexpected(206), at: 1)) { try Self.parse(writer.bytes, allowsReducedSize: false) }
        try Self.parse(Self.everything, allowsReducedSize: false)
    }

    @Test("estimates go up to what 64 bits hold", arguments: [0, 1, 0x3_FFFF, 1 << 40, .max] as [UInt64])
    func estimates(bitsPerSecond: UInt64) throws {
        var writer = ByteWriter()
        RTCPWriter.bandwidthEstimate(from: 1, about: [], bitsPerSecond, to: &writer)
        var datagram = try RTCPDatagram(parsing: writer.bytes.span)
        let packet = datagram.next()
        let estimate = packet?.bandwidthEstimate ?? 0
        #expect(estimate <= bitsPerSecond && bitsPerSecond - estimate <= bitsPerSecond >> 17)
        // An exponent of 63 with a mantissa of two bits does not fit.
        let huge = try Hex.decode("8fce0004" + "00000001" + "00000000" + "52454d42" + "00fc0003")
        var other = try RTCPDatagram(parsing: huge.span)
        let most = other.next()?.bandwidthEstimate
        #expect(most == .max)
    }

    @Test("changed at random is refused or can be read to its end", arguments: 0..<20 as Range<UInt64>)
    func mutations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var count = 0
        for _ in 0..<200 {
            var bytes = Self.everything
            for _ in 0..<3 {
                bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if let said = try? Self.transcript(bytes), !said.isEmpty { count += 1 }
        }
        #expect(count > 0, "seed \(seed)")
    }
}

@Suite("Feedback about a whole transport")
struct TransportWideTests {
    private static func written(_ arrivals: [Int64?], first: UInt16 = 0) throws -> (
        count: Int, arrivals: [Int64?], bytes: Int
    ) {
        var writer = ByteWriter()
        let count = RTCPWriter.transportWide(
            from: 1, about: 2, first: first, arrivals: arrivals.span, number: 7, to: &writer)
        guard count > 0 else { return (0, [], 0) }
        var read: [Int64?] = []
        var sequence = first
        var datagram = try RTCPDatagram(parsing: writer.bytes.span)
        while let packet = datagram.next() {
            TransportWideFeedback(packet)?.forEach { number, arrival in
                #expect(number == sequence)
                sequence &+= 1
                read.append(arrival)
            }
        }
        return (count, read, writer.count)
    }

    @Test(
        "tells when each packet came",
        arguments: [
            [5], [nil], [nil, nil, 7], [0, 255, 511], [0, 32_767, 0, -32_768 + 32_767],
            [Int64?](repeating: 3, count: 100), [Int64?](repeating: nil, count: 400),
            [1, nil, 1, nil, 1, nil, 1, nil, 1, nil], [1, 1, 1, 1, 1, 1, 1, nil, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            [-1000, -999], [1 << 30, (1 << 30) + 1],
        ] as [[Int64?]])
    func roundTrip(arrivals: [Int64?]) throws {
        let written = try Self.written(arrivals, first: 65_530)
        #expect(written.count == arrivals.count && written.arrivals == arrivals)
    }

    @Test("takes a run of packets that came at once in two bytes and one for each")
    func size() throws {
        #expect(try Self.written([Int64?](repeating: 1, count: 200)).bytes == 20 + 2 + 200 + 2)
    }

    @Test("stops before a time that is too far from the last, and at as many as fit")
    func limits() throws {
        #expect(try Self.written([0, nil, 40_000, 1]).arrivals == [0, nil])
        #expect(try Self.written([Int64?](repeating: nil, count: 401)).count == 400)
        #expect(try Self.written([]).count == 0)
    }

    @Test("tells the same whatever came when", arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            var time = Int64.random(in: 0...100_000, using: &random)
            let loss = Int.random(in: 0...100, using: &random)
            let arrivals = (0..<Int.random(in: 1...100, using: &random)).map { _ -> Int64? in
                time += .random(in: -50...400, using: &random)
                return Int.random(in: 0..<100, using: &random) < loss ? nil : time
            }
            let written = try Self.written(arrivals, first: .random(in: 0 ... .max, using: &random))
            #expect(written.arrivals == arrivals)
        }
    }
}
