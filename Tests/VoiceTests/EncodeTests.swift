import AudioFiles
import OpusCodec
import TestSupport
import Testing

@testable import Voice

@Suite("A voice message")
struct EncodeTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func encode(
        _ file: [UInt8], as name: String = "in.wav", raw: RawFormat? = nil,
        _ change: (inout VoiceSettings) -> Void = { _ in }
    ) throws -> (report: EncodeJob.Report, bytes: [UInt8]) {
        var settings = VoiceSettings()
        settings.encoder.complexity = 2
        change(&settings)
        let input = try self.folder.write(name, file)
        let output = self.folder.place("out.ogg")
        let job = EncodeJob(input: .file(input), output: .file(output), settings: settings, raw: raw)
        return (try job.run(), try self.folder.read("out.ogg"))
    }

    @Test(
        "lasts exactly as long as its recording, at every rate",
        arguments: [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000], [1, 997, 31_337]
    )
    func exactLength(rate: Int, frames: Int) throws {
        let sound = TestSound.sine(440, seconds: Double(frames) / Double(rate) + 0.01, rate: rate)[..<frames]
        let (report, bytes) = try self.encode(Recordings.wav(Array(sound), rate: rate))
        let samples = (frames * 48_000 + rate / 2) / rate
        let referee = try #require(Referee(bytes))
        #expect(abs(report.samples - samples) <= 6)
        // Rates Opus has are exact to the sample; others to the sample of the encoder's rate.
        if OpusEncoder.rates.contains(rate) { #expect(report.samples == samples) }
        #expect(referee.samples.count == report.samples && referee.announced == report.samples)
    }

    @Test("is decoded by us to the very samples of the reference reader", arguments: [16_000, 48_000])
    func referee(rate: Int) throws {
        let sound = TestSound.babble(seconds: 2.2, rate: rate)
        let (_, bytes) = try self.encode(Recordings.wav(sound, rate: rate))
        let referee = try #require(Referee(bytes))
        let ours = try Recordings.decode(self.folder.place("out.ogg"), rate: 48_000)
        #expect(ours.sound == referee.samples)
        #expect(ours.source.damage.isEmpty)
    }

    @Test(
        "keeps to its RFC for every setting",
        arguments: [5, 10, 20, 40, 60], OpusEncoder.RateControl.allCases
    )
    func settings(frame: Int, control: OpusEncoder.RateControl) throws {
        let sound = TestSound.babble(seconds: 2.5, rate: 24_000)
        for (application, pack) in zip(OpusEncoder.Application.allCases, [1, 2, 1]) {
            let (report, bytes) = try self.encode(Recordings.wav(sound, rate: 24_000)) { settings in
                settings.frame = frame
                settings.framesPerPacket = pack
                settings.encoder.rateControl = control
                settings.encoder.application = application
                settings.encoder.usesDTX = true
            }
            let referee = try #require(Referee(bytes))
            #expect(referee.samples.count == 120_000 && report.samples == 120_000)
            try Self.expectConforming(bytes)
        }
    }

    /// RFC 7845: one page for each header, pages of a second at most, the end marked once.
    static func expectConforming(_ bytes: [UInt8]) throws {
        var reader = OggPageReader()
        reader.append(bytes.span)
        reader.finish()
        var pages: [OggPage] = []
        while let event = reader.next() {
            guard case .page(let page, _) = event else {
                Issue.record("damage in a file of our own")
                return
            }
            pages.append(page)
        }
        #expect(pages.map(\.isLast) == Array(repeating: false, count: pages.count - 1) + [true])
        #expect(pages[0].granule == 0 && pages[1].granule == 0)
        for (page, next) in zip(pages.dropFirst(), pages.dropFirst(2)) {
            #expect((0...48_000).contains(next.granule - page.granule))
        }
    }

    @Test("K08 for WhatsApp is wideband speech in packets of code 3")
    func whatsApp() throws {
        let sound = TestSound.babble(seconds: 2, rate: 48_000)
        var settings = try #require(VoiceSettings.presets["whatsapp"])
        settings.encoder.complexity = 3
        let input = try self.folder.write("in.wav", Recordings.wav(sound, rate: 48_000))
        let output = self.folder.place("out.ogg")
        let report = try EncodeJob(input: .file(input), output: .file(output), settings: settings).run()
        let packets = try Recordings.packets(try self.folder.read("out.ogg"))
        #expect(report.samples == 96_000)
        #expect(packets.allSatisfy { $0.bytes[0] & 3 == 3 && (8...11).contains($0.bytes[0] >> 3) })
        #expect(packets.dropLast().allSatisfy { $0.duration == 2880 })
    }

    @Test("has the tone of its recording, whatever the channels", arguments: 1...8)
    func downmix(channels: Int) throws {
        let sound = TestSound.sine(700, seconds: 0.7, rate: 48_000)
        let (_, _) = try self.encode(Recordings.wav(sound, rate: 48_000, channels: channels, encoding: .signed24))
        let decoded = try Recordings.decode(self.folder.place("out.ogg")).sound
        #expect(abs(TestSound.level(of: 700, in: decoded[9600...], rate: 48_000) - 0.25) < 0.06)
    }

    @Test("can be made of samples without a header")
    func raw() throws {
        var bytes: [UInt8] = []
        SampleEncoding.signed16BigEndian.encode(TestSound.sine(500, seconds: 0.5, rate: 16_000).span, to: &bytes)
        let (report, _) = try self.encode(bytes, raw: RawFormat("s16be:16000:1"))
        #expect(report.samples == 24_000 && report.source == "raw samples")
        let decoded = try Recordings.decode(self.folder.place("out.ogg")).sound
        #expect(abs(TestSound.level(of: 500, in: decoded[3000...], rate: 16_000) - 0.25) < 0.05)
    }

    @Test(
        "is never made of samples that are not described well",
        arguments: [
            "", "s16le", "s16le:16000", "s17le:16000:1", "s16le:0:1", "s16le:16000:0", "s16le:16000:1:1", "s16le:x:1",
        ]
    )
    func badRaw(text: String) {
        #expect(RawFormat(text) == nil)
    }

    @Test("is brought to the loudness that is asked for")
    func loudness() throws {
        let sound = TestSound.sine(1000, seconds: 3, rate: 48_000, level: 0.01)
        let (report, _) = try self.encode(Recordings.wav(sound, rate: 48_000)) { $0.loudness = -20 }
        let gain = try #require(report.gain)
        // A sine of 0.01 in one channel stands at -43 LUFS.
        #expect(abs(gain - 23) < 0.2 && !report.isLimitedByPeak)
        let info = try SoundInfo(of: .file(self.folder.place("out.ogg")))
        #expect(abs(try #require(info.loudness) + 20) < 0.7)
    }

    @Test("is not made louder than its peaks allow")
    func peaks() throws {
        var sound = TestSound.sine(1000, seconds: 2, rate: 16_000, level: 0.05)
        sound[8000] = 0.9
        let (report, _) = try self.encode(Recordings.wav(sound, rate: 16_000)) { $0.loudness = -10 }
        #expect(report.isLimitedByPeak)
        #expect(try #require(report.gain) < 0.5)
    }

    @Test("loses the silence at its ends, but for a breath")
    func trim() throws {
        let silence = [Float](repeating: 0, count: 16_000)
        let sound = silence + TestSound.sine(400, seconds: 1, rate: 16_000) + silence
        let (report, _) = try self.encode(Recordings.wav(sound, rate: 16_000)) { $0.trimsSilence = true }
        #expect(abs(report.seconds - 1.2) < 0.05)
        #expect(!report.isCut)
    }

    @Test("is cut at the longest duration, and says so", arguments: [0.5, 1, 2.0])
    func maximum(seconds: Double) throws {
        let sound = TestSound.sine(400, seconds: 1, rate: 16_000)
        let (report, bytes) = try self.encode(Recordings.wav(sound, rate: 16_000)) { $0.maximumDuration = seconds }
        #expect(report.samples == Int(min(1, seconds) * 48_000))
        #expect(report.isCut == (seconds < 1))
        #expect(try #require(Referee(bytes)).samples.count == report.samples)
    }

    @Test("cannot be made of nothing")
    func nothing() throws {
        #expect(throws: VoiceEncoder.Failure.noSound) { try self.encode(Recordings.wav([], rate: 16_000)) }
        #expect(throws: AudioFileError.self) { try self.encode([]) }
        #expect(self.folder.names == ["in.wav"])
    }

    @Test("has a constant bit rate when it is asked to, although its frames share packets")
    func constant() throws {
        let sound = TestSound.babble(seconds: 2, rate: 48_000)
        let (_, bytes) = try self.encode(Recordings.wav(sound, rate: 48_000)) { $0.encoder.rateControl = .constant }
        let sizes = Set(try Recordings.packets(bytes).filter { $0.duration == 2880 }.map(\.bytes.count))
        #expect(sizes == [180])
    }

    @Test(
        "is refused settings Opus does not have",
        arguments: [
            { $0.frame = 30 }, { $0.framesPerPacket = 7 }, { $0.framesPerPacket = .max }, { $0.encoder.bitRate = 100 },
            { $0.encoder.complexity = 11 },
            { $0.rate = 44_100 }, { $0.loudness = 3 }, { $0.maximumDuration = 0 },
        ] as [@Sendable (inout VoiceSettings) -> Void]
    )
    func complaints(change: @Sendable (inout VoiceSettings) -> Void) {
        var settings = VoiceSettings()
        #expect(settings.complaint == nil)
        change(&settings)
        #expect(settings.complaint != nil)
    }
}
