import AudioFiles
import Bytes
import FileTypes
import System
import SoundFiles
import OpusCodec
import TestSupport
import Testing

@testable import Voice

@Suite("A decoded recording")
struct DecodeTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }
    private static let sound = TestSound.babble(seconds: 1.3, rate: 16_000)

    private static func opus() throws -> [UInt8] {
        var settings = VoiceSettings()
        settings.encoder.complexity = 1
        return try Recordings.opus(self.sound, rate: 16_000, settings: settings)
    }

    private func decode(
        _ file: [UInt8], form: DecodeJob.Form = .wav(.signed16), rate: Int? = nil, isMono: Bool = false,
        start: Duration = .zero
    ) throws -> (report: DecodeJob.Report, bytes: [UInt8]) {
        let input = try self.folder.write("in", file)
        let output = VoiceOutput.file(self.folder.place("out"))
        let job = DecodeJob(input: .file(input), output: output, form: form, rate: rate, isMono: isMono, start: start)
        return (try job.run(), try self.folder.read("out"))
    }

    @Test("J14 has the tone and the exact length of what was recorded, at its own rate")
    func tone() throws {
        let file = try Recordings.opus(TestSound.sine(523.25, seconds: 1.5, rate: 48_000), rate: 48_000)
        let (report, _) = try self.decode(file)
        #expect(report.samples == 72_000 && report.rate == 48_000 && report.channels == 1)
        let sound = try Recordings.decode(self.folder.place("out")).sound
        #expect(sound.count == 72_000)
        #expect(abs(TestSound.level(of: 523.25, in: sound, rate: 48_000) - 0.25) < 0.03)
        #expect(TestSound.level(of: 600, in: sound, rate: 48_000) < 0.02)
    }

    @Test("is a WAV file of every form", arguments: [.signed16, .signed24, .float32] as [SampleEncoding])
    func forms(encoding: SampleEncoding) throws {
        let (report, bytes) = try self.decode(try Self.opus(), form: .wav(encoding))
        #expect(report.samples == Self.sound.count && report.rate == 16_000)
        var reader = WAVReader()
        reader.append(bytes.span)
        #expect(try reader.readHeader())
        #expect(reader.announcedFrames == Self.sound.count && reader.format?.encoding == encoding)
        #expect(bytes.count == report.bytes)
    }

    private static let long = TestSound.babble(seconds: 3, rate: 48_000)

    @Test(
        "K12 begins at any moment with the samples that the whole has from there on",
        arguments: [(nil, false), (48_000, false), (16_000, true), (44_100, false)] as [(Int?, Bool)])
    func start(rate: Int?, isMono: Bool) throws {
        var settings = VoiceSettings()
        settings.encoder.complexity = 1
        let files = [
            try Recordings.opus(Self.long, rate: 48_000, settings: settings),
            try Recordings.opus(Array(Self.long[..<(96_000 * 3 / 2)]), rate: 16_000, settings: settings),
            Recordings.wav(Self.long, rate: 48_000),
        ]
        for file in files {
            let form = DecodeJob.Form.raw(.float32)
            let (report, whole) = try self.decode(file, form: form, rate: rate, isMono: isMono)
            for milliseconds in [1, 19, 80, 999, 1337, 2000, 2999] {
                let (rest, part) = try self.decode(
                    file, form: form, rate: rate, isMono: isMono, start: .milliseconds(milliseconds))
                let skipped = (milliseconds * report.rate + 500) / 1000
                #expect(rest.samples == report.samples - skipped)
                let expected = Self.floats(whole[(skipped * 4 * report.channels)...])
                let worst = zip(expected, Self.floats(part[...])).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
                #expect(worst < 1 / 32768)
            }
            let nothing = Self.failure { try self.decode(file, start: .seconds(10)).report }
            #expect(nothing?.kind == .badData)
        }
    }

    @Test("K12 passes over what lies further back than the decoder has to hear", arguments: [16_000, 48_000])
    func preRoll(rate: Int) throws {
        var settings = VoiceSettings()
        settings.encoder.complexity = 1
        let sound = TestSound.babble(seconds: 3, rate: rate)
        let path = try self.folder.write("a.ogg", try Recordings.opus(sound, rate: rate, settings: settings))
        let whole = try Recordings.decode(path).sound
        for skipped in [0, rate / 100, rate * 3 / 2 + 7, rate * 5 / 2, rate * 3 - 1] {
            let rest = try Recordings.decode(path, skipping: skipped, preRoll: 1)
            #expect(rest.count == whole.count - skipped)
            let worst = zip(whole[skipped...], rest).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
            #expect(worst < 1 / 32768)
        }
        #expect(try Recordings.decode(path, skipping: rate * 4, preRoll: 1).isEmpty)
    }

    private static func floats(_ bytes: ArraySlice<UInt8>) -> [Float] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4).map { index in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) })
        }
    }

    @Test("may be samples alone")
    func raw() throws {
        let (report, bytes) = try self.decode(try Self.opus(), form: .raw(.signed16))
        #expect(bytes.count == Self.sound.count * 2 && report.bytes == bytes.count)
    }

    @Test("may have another rate", arguments: [8000, 24_000, 48_000, 44_100, 96_000])
    func rates(rate: Int) throws {
        let (report, _) = try self.decode(try Self.opus(), rate: rate)
        #expect(report.rate == rate)
        #expect(report.samples == (Self.sound.count * rate + 8000) / 16_000)
    }

    @Test("of many channels comes in WAV's order, or as one")
    func surround() throws {
        let file = try Self.surroundFile()
        let (report, _) = try self.decode(file)
        #expect(report.channels == 6)
        let (sound, source) = try Recordings.decode(self.folder.place("out"))
        #expect(source.format.speakers == Speakers(count: 6))
        let levels = (0..<6).map { channel in
            let one = stride(from: channel, to: sound.count, by: 6).map { sound[$0] }
            return TestSound.level(of: 300 + 100 * Double(channel), in: one, rate: 48_000)
        }
        // The low frequency channel's 600 Hz is filtered away by nothing: it is a channel like any other here.
        #expect(levels.allSatisfy { $0 > 0.1 })
        #expect(try self.decode(file, isMono: true).report.channels == 1)
    }

    /// Six mono streams, each with its own tone; the mapping puts them into Vorbis order.
    private static func surroundFile() throws -> [UInt8] {
        let head = OpusHead(
            channels: 6, preSkip: 312, inputRate: 48_000,
            // Vorbis order: left, centre, right, back left, back right, low frequency.
            mapping: .init(family: 1, streams: 6, coupled: 0, table: [0, 2, 1, 4, 5, 3]))
        let streams = try (0..<6).map { channel -> [OpusFilePacket] in
            var settings = VoiceSettings()
            settings.framesPerPacket = 1
            settings.encoder.rateControl = .constant
            settings.encoder.application = .lowDelay
            let tone = TestSound.sine(300 + 100 * Double(channel), seconds: 0.5, rate: 48_000)
            return try Recordings.packets(try Recordings.opus(tone, rate: 48_000, settings: settings))
        }
        var writer = OggOpusWriter(head: head, tags: OpusTags(vendor: "test"), serial: 1)
        var output: [UInt8] = []
        writer.start(into: &output)
        for index in streams[0].indices {
            // All but the last stream say how long they are (RFC 6716, appendix B).
            var packet: [UInt8] = []
            for (number, stream) in streams.enumerated() {
                let bytes = stream[index].bytes
                packet.append(bytes[0])
                if number < 5 { packet.append(UInt8(bytes.count - 1)) }
                packet += bytes.dropFirst()
            }
            try writer.add(packet.span, duration: 960, into: &output)
        }
        writer.finish(into: &output)
        return output
    }

    @Test(
        "K04.length K08.inside K08.file of an AMR note, as a file or in Base64, lasts its true seconds",
        .enabled(if: FFmpeg.isInstalled))
    func amr() throws {
        let frame: [UInt8] = [0x3C] + Array(repeating: 0x11, count: 31)
        let note = Array("#!AMR\n".utf8) + (0..<150).flatMap { _ in frame }
        let content = Base64.encode(note)
        let (report, _) = try self.decode(try Base64.decode(content))
        #expect(report.rate == 8000 && report.samples == 24_000 && report.seconds == 3)
        let input = try self.folder.write("note.amr", note)
        let output = VoiceOutput.file(self.folder.place("note.ogg"))
        let encoded = try EncodeJob(input: .file(input), output: output, settings: VoiceSettings()).run()
        #expect(encoded.seconds == 3 && encoded.source == "ffmpeg")
    }

    @Test("of a chained file holds all of its streams, as the reference reader does")
    func chained() throws {
        let file = try Self.opus() + Recordings.opus(Self.sound, rate: 48_000, serial: 9)
        let input = try self.folder.write("in", file)
        let ours = try Recordings.decode(input, rate: 48_000).sound
        let referee = try #require(Referee(file))
        #expect(referee.links == 2 && ours == referee.samples)
    }

    @Test("of a damaged file is told where, and has the length of the whole")
    func damaged() throws {
        var file = try Recordings.opus(TestSound.babble(seconds: 4, rate: 16_000), rate: 16_000)
        file[file.count / 2] ^= 0x55
        let (report, _) = try self.decode(file)
        #expect(report.samples == 64_000)
        #expect(report.damage.count >= 1)
    }

    @Test("of any damage is a whole WAV file or none")
    func fuzz() throws {
        var random = SeededRandom(seed: 17)
        let file = try Self.opus()
        for _ in 0..<150 {
            var mutated = file
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                mutated[Int.random(in: mutated.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            guard let result = try? self.decode(mutated, form: .raw(.signed16)) else { continue }
            #expect(result.bytes.count == result.report.samples * 2 * result.report.channels)
        }
    }

    @Test("that cannot be names the reason and the exit code")
    func failures() throws {
        let missing = DecodeJob(input: .file(self.folder.place("none")), output: .file(self.folder.place("out")))
        #expect(Self.failure { try missing.run() }?.kind == .noInput)
        let text = try self.folder.write("text", Array("OggS but nothing else of it".utf8))
        let refused = DecodeJob(input: .file(text), output: .file(self.folder.place("out")))
        #expect(Self.failure { try refused.run() }?.kind == .badData)
        let good = try self.folder.write("good", try Self.opus())
        let nowhere = DecodeJob(input: .file(good), output: .file(self.folder.place("none/out")))
        #expect(Self.failure { try nowhere.run() }?.kind == .cannotCreate)
        #expect(VoiceFailure(FFmpeg.Failure.notInstalled).kind == .unavailable)
        #expect(VoiceFailure(OpusRemuxer.Failure.chained).kind == .badData)
        #expect(VoiceFailure(FFmpeg.Failure.notInstalled).description.contains("install the package ffmpeg"))
        #expect(self.folder.names == ["good", "text"])
    }

    private static func failure(_ body: () throws -> Void) -> VoiceFailure? {
        do {
            try body()
            return nil
        } catch {
            return VoiceFailure(error)
        }
    }
}

extension DecodeTests {
    private static func failure(_ body: () throws -> DecodeJob.Report) -> VoiceFailure? {
        self.failure { () throws -> Void in _ = try body() }
    }
}

@Suite("What is told of a recording")
struct SoundInfoTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test("K04.length is its true duration, its loudness, its silence and its waveform")
    func info() throws {
        let silence = [Float](repeating: 0, count: 48_000)
        let sound = TestSound.sine(1000, seconds: 1, rate: 48_000, level: 0.5) + silence
        let path = try self.folder.write("a.ogg", try Recordings.opus(sound, rate: 48_000))
        let info = try SoundInfo(of: .file(path))
        #expect(info.samples == 96_000 && info.seconds == 2 && info.kind == "Ogg Opus")
        // Blocks at the edge of the silence pull the mean down a little.
        #expect(abs(try #require(info.loudness) + 9.7) < 0.5)
        #expect(abs(try #require(info.samplePeak) + 6) < 0.6)
        #expect(abs(info.silentShare - 0.5) < 0.03)
        #expect(info.opus?.head.preSkip == 312 && info.opus?.tags?["encoder"] == "parley voice")
        let bars = info.waveform(100).levels
        #expect(bars[..<49].allSatisfy { $0 > 200 } && bars[51...].allSatisfy { $0 < 60 })
        #expect(info.discordWaveform.bars.count == 20)
        #expect(info.waveform(100).telegram.count == 63 && info.waveform(64).whatsApp.count == 64)
    }

    @Test("K11.hostile is told or refused wherever the file was cut")
    func cut() throws {
        let sound = TestSound.sine(1000, seconds: 0.005, rate: 48_000, level: 0.5)
        for (name, whole) in [
            ("a.ogg", try Recordings.opus(sound, rate: 48_000)),
            ("a.wav", Recordings.wav(Array(sound[..<4]), rate: 8000)),
        ] {
            let all = try SoundInfo(of: .file(try self.folder.write(name, whole))).samples
            for count in whole.indices {
                let path = try self.folder.write(name, Array(whole[..<count]))
                guard let info = try? SoundInfo(of: .file(path)) else { continue }
                #expect(info.samples <= all && info.waveform(SoundOutline.barCount).message.allSatisfy { $0 <= 100 })
            }
        }
    }

    @Test("is told of a WAV file too")
    func wav() throws {
        let path = try self.folder.write(
            "a.wav",
            Recordings.wav(TestSound.sine(1000, seconds: 1, rate: 8000), rate: 8000))
        let info = try SoundInfo(of: .file(path))
        #expect(info.samples == 8000 && info.kind == "WAV" && info.opus == nil && info.damage.isEmpty)
    }
}
