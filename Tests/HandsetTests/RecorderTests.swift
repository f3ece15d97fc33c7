import AudioFiles
import AudioStreams
import Handset
import TestSupport
import Testing
import VirtualCalls
import Vocabulary

@Suite("A recorder")
struct RecorderTests {
    /// A packet of CELT whose bytes say which one it is.
    private static func payload(_ number: Int, gap: Int = 0, arrival: Instant = Instant(milliseconds: 0))
        -> AudioPayload
    {
        AudioPayload(
            bytes: [0xF8, UInt8(truncatingIfNeeded: number), 1, 2], position: Int64(number) * 960, duration: 960,
            gap: gap,
            arrival: arrival, isCopy: false)
    }

    /// What a reader makes of the first bytes of a file; nil before there is a head and tags.
    private static func packets(in bytes: [UInt8], upTo count: Int = .max) -> [OpusFilePacket]? {
        var reader = OggOpusReader()
        reader.append(bytes.span.extracting(first: min(count, bytes.count)))
        reader.finish()
        var packets: [OpusFilePacket] = []
        do {
            while let event = try reader.next() {
                if case .packet(let packet) = event { packets.append(packet) }
            }
        } catch {
            return nil
        }
        return packets
    }

    @Test("J14 leaves a file that is readable wherever it is cut")
    func cuts() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder.open(folder.place("a.ogg"))
        let empty = try folder.read("a.ogg").count
        for number in 0..<160 { recorder.received(Self.payload(number, gap: number == 80 ? 4800 : 0)) }
        recorder.finish()
        let file = try folder.read("a.ogg")
        let whole = try #require(Self.packets(in: file))
        #expect(whole.filter { $0.bytes.count == 4 }.map { Int($0.bytes[1]) } == Array(0..<160))
        var longest = 0
        for count in 0...file.count {
            let packets = Self.packets(in: file, upTo: count)
            #expect((packets != nil) == (count >= empty), "cut at \(count)")
            #expect((packets ?? []).map(\.bytes) == whole.prefix(packets?.count ?? 0).map(\.bytes), "cut at \(count)")
            #expect(packets?.count ?? 0 >= longest, "cut at \(count)")
            longest = packets?.count ?? 0
        }
        #expect(longest == whole.count)
    }

    @Test("J14 has on the disk at every moment all but the last second")
    func savesAlong() throws {
        let folder = try TemporaryFolder()
        let recorder = try OggRecorder(folder.place("a.ogg"))
        for number in 0..<500 {
            recorder.received(Self.payload(number))
            guard number % 10 == 0 else { continue }
            let kept = try #require(Self.packets(in: folder.read("a.ogg")))
            #expect(kept.count >= number - 50, "after packet \(number)")
        }
    }

    @Test("J14 keeps the time of what is missing", arguments: [960, 4800, 48_000, 480_000])
    func gaps(missing: Int) throws {
        let folder = try TemporaryFolder()
        let recorder = try OggRecorder(folder.place("a.ogg"))
        recorder.received(Self.payload(0))
        recorder.received(Self.payload(1, gap: missing))
        recorder.finish()
        let packets = try #require(Self.packets(in: folder.read("a.ogg")))
        #expect(packets.reduce(0) { $0 + $1.duration } == 2 * 960 + missing)
        #expect(packets.last?.bytes == Self.payload(1).bytes)
    }

    @Test("J14 keeps everything in its place for an hour of losses, with clocks that go apart")
    func longCalls() throws {
        let folder = try TemporaryFolder()
        let recorder = try OggRecorder(folder.place("a.ogg"))
        var positions: [Int64] = []
        var call = VirtualCall(
            seed: 7, receiver: { $0.lendsPayloads = true }, line: VirtualLine.even(50, jitter: 5, loss: 0.05))
        call.first.voice = .packets([[0xF8, 0xFF, 0xFE]])
        call.second.drift = 300
        call.second.onPayload = { payload in
            positions.append(payload.position)
            recorder.received(payload)
        }
        call.run(seconds: 3600)
        recorder.finish()
        #expect(positions.count > 150_000)
        let first = try #require(positions.first)
        var (start, kept): (Int64, [Int64]) = (0, [])
        for packet in try #require(Self.packets(in: folder.read("a.ogg"))) {
            if packet.bytes.count == 3 { kept.append(start) }
            start += Int64(packet.duration)
        }
        // To the sample, where five milliseconds were wanted.
        #expect(kept.map { $0 - kept[0] } == positions.map { $0 - first })
    }

    @Test("J14 begins with the call and not with the first packet")
    func beginsWithCall() throws {
        let folder = try TemporaryFolder()
        let recorder = try OggRecorder(folder.place("a.ogg"))
        recorder.began(at: Instant(milliseconds: 1000))
        recorder.received(Self.payload(0, arrival: Instant(milliseconds: 1250)))
        recorder.received(Self.payload(1, arrival: Instant(milliseconds: 1900)))
        recorder.finish()
        let packets = try #require(Self.packets(in: folder.read("a.ogg")))
        #expect(packets.reduce(0) { $0 + $1.duration } == 250 * 48 + 2 * 960)
    }

    @Test("J14 writes samples under a header that is right at the end, and readable before")
    func samples() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder.open(folder.place("a.wav"))
        let sound = [Float](repeating: 0.5, count: 960)
        for _ in 0..<75 { recorder.heard(sound.span) }
        #expect(try Self.samples(in: folder.read("a.wav")) == Array(repeating: 0.5, count: 50 * 960))
        recorder.heard([2, -2].span)
        recorder.finish()
        let all = try Self.samples(in: folder.read("a.wav"))
        #expect(all.count == 75 * 960 + 2 && all.allSatisfy { abs($0) <= 1 })
    }

    @Test("J14 mixes both sides, and keeps what is heard while nothing is said")
    func mixed() throws {
        let folder = try TemporaryFolder()
        let recorder = try MixedRecorder(folder.place("a.wav"), channels: 2)
        recorder.own.heard([0.1, 0.2, 0.1, 0.2].span)
        recorder.heard([0.5, -0.5].span)
        recorder.heard([0.9, 0.9, 0.25, 0.25].span)
        recorder.finish()
        #expect(try Self.samples(in: folder.read("a.wav"), channels: 2) == [0.6, -0.3, 1, 1, 0.25, 0.25])
    }

    @Test("J37.mixed mixes everybody in a room, each at their place in time, and us once")
    func room() throws {
        let folder = try TemporaryFolder()
        let mixer = try RoomMixer(folder.place("a.wav"))
        let (a, b) = (mixer.track(), mixer.track())
        a.heard.began(at: Instant(milliseconds: 1000))
        Self.speak(0.125, to: a.said, for: 20)
        Self.speak(0.5, to: a.heard, for: 20)
        // The second comes while the first talks, and hears from us what the first does.
        b.heard.began(at: Instant(milliseconds: 1010))
        Self.speak(0.125, to: b.said, for: 10)
        Self.speak(0.25, to: b.heard, for: 10)
        Self.speak(0.5, to: a.heard, for: 10)
        a.heard.finish()
        Self.speak(0.125, to: b.said, for: 10)
        Self.speak(0.25, to: b.heard, for: 20)
        b.heard.finish()
        // Somebody comes when everybody has gone.
        let c = mixer.track()
        c.heard.began(at: Instant(milliseconds: 1100))
        Self.speak(-0.5, to: c.heard, for: 5)
        c.heard.finish()
        mixer.finish()
        let all = try Self.samples(in: folder.read("a.wav"))
        let parts: [(level: Float, milliseconds: Int)] = [(0.625, 10), (0.875, 20), (0.25, 10), (0, 60), (-0.5, 5)]
        #expect(!mixer.isEmpty)
        #expect(all == parts.flatMap { Array(repeating: $0.level, count: $0.milliseconds * 48) })
    }

    @Test("J37.mixed A member who falls behind is put where the others are, and holds nobody up")
    func behind() throws {
        let folder = try TemporaryFolder()
        let mixer = try RoomMixer(folder.place("a.wav"), channels: 2)
        let (a, b) = (mixer.track(), mixer.track())
        for track in [a, b] { track.heard.began(at: Instant(milliseconds: 0)) }
        for _ in 0..<100 { Self.speak(0.5, to: a.heard, for: 10, channels: 2) }
        Self.speak(0.25, to: b.heard, for: 10, channels: 2)
        mixer.finish()
        let all = try Self.samples(in: folder.read("a.wav"), channels: 2)
        #expect(all.count == 1000 * 96)
        #expect(all.firstIndex(of: 0.75) == 800 * 96 && all.count(where: { $0 == 0.75 }) == 10 * 96)
    }

    private static func speak(_ level: Float, to sink: any SoundSink, for milliseconds: Int, channels: Int = 1) {
        sink.heard([Float](repeating: level, count: milliseconds * 48 * channels).span)
    }

    @Test("J36 knows its own files, and no others")
    func own() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder.open(folder.place("a.ogg"))
        #expect(Recorder.hasMade(folder.place("a.ogg")))
        recorder.finish()
        let whole = try folder.read("a.ogg")
        #expect(Recorder.hasMade(folder.place("a.ogg")))
        let head = OpusHead(channels: 1, preSkip: 312, inputRate: 48_000)
        var writer = OggOpusWriter(
            head: head, tags: OpusTags(vendor: "a", comments: ["ENCODER=parley voice"]), serial: 1)
        var other: [UInt8] = []
        writer.start(into: &other)
        #expect(!Recorder.hasMade(try folder.write("b.ogg", other)))
        #expect(!Recorder.hasMade(folder.place("none.ogg")))
        for count in whole.indices { _ = Recorder.hasMade(try folder.write("c.ogg", Array(whole[..<count]))) }
    }

    private static func samples(in file: [UInt8], channels: Int = 1) throws -> [Float] {
        var reader = WAVReader()
        reader.append(file.span)
        reader.finish()
        #expect(try reader.readHeader())
        #expect(reader.format?.sound.channels == channels)
        var samples: [Float] = []
        while reader.read(upTo: 4096, into: &samples) > 0 {}
        // Sixteen bits come back as what they are nearest to.
        return samples.map { ($0 * 1000).rounded() / 1000 }
    }

    @Test("J14 says so when there is no room for it", arguments: ["/dev/full"])
    func fullDisk(path: String) {
        #expect(throws: (any Error).self) { try Recorder.open(path) }
        #expect(throws: (any Error).self) { try WAVRecorder(path) }
        #expect(throws: (any Error).self) { try CaptureFile(path: path, origin: 0) }
    }
}
