import AudioFiles
import OpusCodec
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@testable import Voice

@Suite("Opus that is kept")
struct RemuxTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }
    private static let sound = TestSound.babble(seconds: 3.3, rate: 48_000)

    private static func source(framesPerPacket: Int = 1, channels: Int = 1) throws -> [UInt8] {
        var settings = VoiceSettings()
        settings.encoder.complexity = 1
        settings.framesPerPacket = framesPerPacket
        return try Recordings.opus(self.sound, rate: 48_000, settings: settings)
    }

    private func encode(
        _ file: [UInt8], settings: VoiceSettings = VoiceSettings()
    ) throws -> (report: EncodeJob.Report, bytes: [UInt8]) {
        let input = try self.folder.write("in", file)
        let output = self.folder.place("out.ogg")
        let job = EncodeJob(input: .file(input), output: .file(output), settings: settings)
        return (try job.run(), try self.folder.read("out.ogg"))
    }

    @Test("from Ogg has the very same sound, in packets that play everywhere")
    func ogg() throws {
        let file = try Self.source()
        let (report, bytes) = try self.encode(file)
        #expect(report.isRemuxed && report.samples == Self.sound.count)
        let (before, after) = (try #require(Referee(file)), try #require(Referee(bytes)))
        #expect(before.samples == after.samples)
        #expect(try Recordings.packets(bytes).allSatisfy { $0.bytes[0] & 3 == 3 })
        try EncodeTests.expectConforming(bytes)
    }

    @Test("K04 from WebM, as a browser records it, has the very same sound and its true duration")
    func webM() throws {
        let file = try Self.source(framesPerPacket: 3)
        let packets = try Recordings.packets(file)
        let head = OpusHead(channels: 1, preSkip: 312, inputRate: 48_000)
        let (report, bytes) = try self.encode(Recordings.webM(packets, head: head))
        #expect(report.isRemuxed && report.source == "WebM Opus")
        // WebM here has no end trim: all of the packets are heard, but for the pre-skip.
        let whole = packets.reduce(0) { $0 + $1.duration } - 312
        #expect(report.samples == whole)
        let referee = try #require(Referee(bytes))
        #expect(referee.samples.count == whole)
        #expect(Array(referee.samples[..<Self.sound.count]) == (try #require(Referee(file))).samples)
    }

    @Test("K04 as Chromium recorded it keeps its sound, and starts after the encoder's delay")
    func chromium() throws {
        let (report, bytes) = try self.encode(try BrowserRecording.bytes())
        #expect(report.isRemuxed && report.source == "WebM Opus" && report.damage.isEmpty)
        let referee = try #require(Referee(bytes))
        #expect(referee.samples.count == report.samples && report.samples % 960 == 960 - 312)
        #expect(abs(TestSound.level(of: 440, in: referee.samples[9600...], rate: 48_000) - 0.25) < 0.05)
        try EncodeTests.expectConforming(bytes)
    }

    @Test("is cut at the longest duration to the sample")
    func maximum() throws {
        var settings = VoiceSettings()
        settings.maximumDuration = 1.2345
        let (report, bytes) = try self.encode(try Self.source(), settings: settings)
        #expect(report.isRemuxed && report.isCut && report.samples == 59_256)
        #expect(try #require(Referee(bytes)).samples.count == 59_256)
    }

    @Test("with a lost page keeps its length: the gap asks to be concealed")
    func lostPage() throws {
        let file = try Self.source()
        var reader = OggPageReader()
        reader.append(file.span)
        var pages: [OggPage] = []
        while case .page(let page, _)? = reader.next() { pages.append(page) }
        pages.remove(at: 3)
        var damaged: [UInt8] = []
        for page in pages { page.write(to: &damaged) }
        let (report, bytes) = try self.encode(damaged)
        #expect(report.isRemuxed && report.samples == Self.sound.count && report.damage.count == 1)
        #expect(try #require(Referee(bytes)).samples.count == Self.sound.count)
    }

    @Test("is not kept when an option asks for another sound")
    func anotherSound() throws {
        var settings = VoiceSettings()
        settings.keepsOpus = false
        let (report, _) = try self.encode(try Self.source(), settings: settings)
        #expect(!report.isRemuxed && report.samples == Self.sound.count)
    }

    @Test("is not kept for WhatsApp when it is no wideband speech")
    func whatsApp() throws {
        let settings = try #require(VoiceSettings.presets["whatsapp"])
        let (report, bytes) = try self.encode(try Self.source(), settings: settings)
        #expect(!report.isRemuxed && report.samples == Self.sound.count)
        let again = try self.encode(bytes, settings: settings)
        #expect(again.report.isRemuxed && again.report.samples == Self.sound.count)
    }

    @Test("is not kept when it is several recordings in one file: they become one")
    func chained() throws {
        let first = try Recordings.opus(Array(Self.sound[..<48_000]), rate: 48_000, serial: 1)
        let second = try Recordings.opus(Array(Self.sound[..<24_000]), rate: 48_000, serial: 2)
        let (report, bytes) = try self.encode(first + second)
        #expect(!report.isRemuxed && report.samples == 72_000)
        let referee = try #require(Referee(bytes))
        #expect(referee.links == 1 && referee.samples.count == 72_000)
    }

    @Test("is looked at as a whole before the first of it goes into a pipe")
    func chainedIntoPipe() async throws {
        var settings = VoiceSettings()
        settings.encoder.bitRate = 256_000
        // More than waits in memory: the first recording would be out before the second is seen.
        let first = try Recordings.opus(Self.sound, rate: 48_000, settings: settings, serial: 1)
        let second = try Recordings.opus(Array(Self.sound[..<24_000]), rate: 48_000, serial: 2)
        #expect(first.count > 80_000)
        let job = EncodeJob(
            input: .file(try self.folder.write("in", first + second)), output: .file(self.folder.place("pipe")),
            settings: VoiceSettings())
        #expect(mkfifo(job.output.name, 0o600) == 0)
        let (report, bytes) = try await Self.reading(job.output.name) { try job.run() }
        #expect(!report.isRemuxed && report.samples == 182_400 && bytes.count == report.bytes)
        #expect(try #require(Referee(bytes)).links == 1)
    }

    /// Runs `body` and reads meanwhile what it writes into a pipe.
    private static func reading<Result>(_ pipe: String, _ body: () throws -> Result) async throws -> (Result, [UInt8]) {
        // With a writer of our own the pipe does not end, however often `body` opens and closes it.
        let descriptor = open(pipe, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let end = Array("the end".utf8)
        let reader = Task.detached {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65_536)
            while !bytes.suffix(end.count).elementsEqual(end) {
                let count = read(descriptor, &piece, piece.count)
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            return Array(bytes.dropLast(end.count))
        }
        let result = Swift.Result { try body() }
        #expect(write(descriptor, end, end.count) == end.count)
        let bytes = await reader.value
        return (try result.get(), bytes)
    }

    @Test("cut off at any place is read to there or refused, and never half written")
    func truncated() throws {
        let file = try Self.source()
        var random = SeededRandom(seed: 5)
        for _ in 0..<60 {
            let end = Int.random(in: 0..<file.count, using: &random)
            guard let result = try? self.encode(Array(file[..<end])) else { continue }
            #expect(try #require(Referee(result.bytes)).samples.count == result.report.samples)
        }
        #expect(self.folder.names == ["in", "out.ogg"])
    }
}
