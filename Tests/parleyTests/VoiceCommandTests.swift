import Arguments
import AudioFiles
import OpusCodec
import Testing

@testable import Voice
@testable import parley

@Suite("parley voice")
struct VoiceCommandTests {
    private static func parse(_ words: [String]) -> CommandParser.Outcome {
        CommandParser(ParleyCommand.self, environment: [:], readFile: { _ in "" }).parse(["voice"] + words)
    }

    private static func encode(_ words: [String]) throws -> VoiceEncodeCommand {
        guard case .run(let command, _) = Self.parse(["encode"] + words) else {
            throw CommandFailure("\(Self.parse(["encode"] + words))")
        }
        return try #require(command as? VoiceEncodeCommand)
    }

    @Test("encodes speech at 24 kbit/s into packets that play everywhere, when nothing is said")
    func defaults() throws {
        let settings = try Self.encode(["a.wav"]).settings
        #expect(settings == VoiceSettings())
        #expect(settings.encoder.bitRate == 24_000 && settings.frame == 20 && settings.framesPerPacket == 3)
        #expect(settings.encoder.rateControl == .variable && settings.encoder.isSpeech && settings.keepsOpus)
    }

    @Test("parley voice reads every option it describes")
    func everything() throws {
        let words = [
            "--preset", "whatsapp", "--bitrate", "16.5k", "--application", "lowdelay", "--complexity", "3", "--frame",
            "60", "--cbr", "--dtx", "--normalize", "-16", "--trim-silence", "--max", "90s", "--raw", "f32le:48000:2",
            "--jobs", "3", "--json", "-o", "-", "-",
        ]
        let command = try Self.encode(words)
        let settings = command.settings
        #expect(settings.encoder.bitRate == 16_500 && settings.encoder.application == .lowDelay)
        #expect(settings.encoder.complexity == 3 && settings.frame == 60 && settings.framesPerPacket == 1)
        #expect(settings.encoder.rateControl == .constant && settings.encoder.usesDTX && !settings.encoder.isSpeech)
        #expect(settings.loudness == -16 && settings.trimsSilence && settings.maximumDuration == 90)
        #expect(settings.rate == 16_000 && !settings.keepsOpus)
        #expect(command.raw?.encoding == .float32 && command.raw?.sound.channels == 2)
        #expect(command.files.recordings.jobs == 3 && command.files.recordings.json && command.files.output == "-")
    }

    @Test(
        "refuses what does not go together",
        arguments: [
            ["a", "b", "-o", "c"], ["a", "-o", "b", "--out-dir", "c"], ["a", "--vbr", "--cbr"], ["a", "--frame", "7"],
            ["a", "--pack", "9"], ["a", "--pack", "9223372036854775807"], ["a", "--bitrate", "fast"], ["-", "-"],
            ["a", "--jobs", "0"], ["a", "--normalize", "1"], ["a", "--max", "0s"], ["a", "--raw", "s16le"], [],
            ["a", "--complexity", "11"], ["a", "--preset", "pigeon"], ["a", "--bitrate", "-5k"],
        ]
    )
    func refusals(words: [String]) {
        guard case .refuse(let error) = Self.parse(["encode"] + words) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(error.exitCode == .usage)
    }

    @Test("looks at recordings in the same way", arguments: [["-", "-"], ["a", "--jobs", "257"], []])
    func refusedInfo(words: [String]) {
        guard case .refuse(let error) = Self.parse(["info"] + words) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(error.exitCode == .usage)
    }

    @Test(
        "puts each result where people look for it",
        arguments: [
            (["a.wav"], "a.ogg"), (["dir/b.tar.wav"], "dir/b.tar.ogg"), (["dir.d/plain"], "dir.d/plain.ogg"),
            (["dir/.hidden"], "dir/.hidden.ogg"), (["x/a.wav", "--out-dir", "y"], "y/a.ogg"),
            (["a.wav", "-o", "b"], "b"),
            (["-"], "-"), (["a.wav", "-o", "-"], "-"),
        ]
    )
    func places(words: [String], output: String) throws {
        let pairs = try Self.encode(words).files.pairs(extension: "ogg")
        #expect(pairs.map(\.1.name) == [output])
    }

    @Test("never writes two results, or a result and a recording, to one place")
    func collisions() throws {
        for words in [
            ["a.ogg"], ["a.wav", "a.flac"], ["x/a.wav", "y/a.wav", "--out-dir", "z"], ["a.wav", "-o", "a.wav"],
            ["a.wav", "./a.flac"], ["/tmp/a.wav", "/tmp/../tmp/a.flac"], ["./a.ogg"],
        ] {
            let files = try Self.encode(words).files
            let error = #expect(throws: CommandFailure.self) { try files.pairs(extension: "ogg") }
            #expect(error?.exitCode == .usage)
        }
    }

    @Test("draws a bar that fits its terminal", arguments: [20, 40, 60, 80, 200])
    func bar(columns: Int) {
        for share in [0.0, 0.005, 0.5, 1] {
            let line = VoiceProgressBar.line(share: share, files: (3, 10), speed: 148.3, elapsed: 10, columns: columns)
            #expect(line.count < columns)
            if columns >= 80 { #expect(line.contains("3/10 files  148× real time")) }
        }
        let unknown = VoiceProgressBar.line(share: nil, files: (0, 1), speed: 2.55, elapsed: 1, columns: 80)
        #expect(unknown == "2.6× real time")
    }

    @Test("tells the time left like a clock", arguments: [(0, "0:00"), (9.2, "0:10"), (75, "1:15"), (3661, "1:01:01")])
    func clock(seconds: Double, text: String) {
        #expect(VoiceProgressBar.clock(seconds) == text)
    }

    @Test("writes reports that are JSON, whatever the files are called")
    func json() {
        var report = EncodeJob.Report(input: "a\"\n.wav", output: "ö.ogg", source: "WAV")
        report.samples = 48_000
        report.bytes = 3000
        report.damage = [1, 2]
        #expect(
            report.json
                == #"{"input":"a\"\n.wav","output":"ö.ogg","source":"WAV","duration":1.000000,"samples":48000,"bytes":3000,"#
                + #""bitrate":24000,"remuxed":false,"gain":null,"limited_by_peak":false,"cut":false,"damage":[1,2]}"#)
        #expect(report.line == "ö.ogg  1.00 s  3000 bytes  24.0 kbit/s")
    }

    @Test(
        "writes numbers with as many digits as they deserve",
        arguments: [(1.005, 1, "1.0"), (-0.04, 1, "0.0"), (-0.06, 1, "-0.1"), (12.3456, 3, "12.346"), (7.5, 0, "8")]
    )
    func fixed(number: Double, digits: Int, text: String) {
        #expect(number.fixed(digits) == text)
    }

    @Test("is told about in help and in the manual")
    func documents() throws {
        let texts = try [
            HelpRequest.text(for: ["voice", "encode"], in: ParleyCommand.self),
            ManualPage(for: ParleyCommand.self).text,
        ]
        for text in texts { #expect(text.replacing(#"\-"#, with: "-").contains("--trim-silence")) }
    }
}
