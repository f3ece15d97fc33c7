import Arguments
import AudioFiles
import Bytes
import FileTypes
import JSON
import Voice

/// `parley voice info`
struct VoiceInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "info",
        abstract: "Show length, loudness, peaks, silence and waveform of a voice message.",
        discussion: """
            With --json, the waveform is printed in the packed formats of Telegram, WhatsApp, Discord and Matrix, \
            and in Parley's own.
            """,
        examples: [
            .init("parley voice info note.ogg", "For people."),
            .init("parley voice info --json *.ogg | jq .loudness", "For programs."),
        ],
        exitCodes: VoiceCommand.exitCodes
    )

    @OptionGroup var recordings: VoiceRecordings

    @Option(help: "Format of a recording without a header: encoding, rate and channels.")
    var raw: RawFormat?

    mutating func run() throws -> ExitCode {
        let (inputs, raw, columns) = (self.recordings.inputs, self.raw, Terminal.columns)
        let json = self.recordings.json
        return self.recordings.run(named: "parley voice info") { index, listener in
            let info = try SoundInfo(of: VoiceRecordings.input(inputs[index]), raw: raw, listener: listener)
            return VoiceResult(line: json ? info.json : info.page(columns: columns), damage: info.damage)
        }
    }
}

extension SoundInfo {
    /// For people.
    func page(columns: Int) -> String {
        let drawing = self.waveform(Swift.max(10, Swift.min(columns - 4, 76))).drawing
        let lines = self.facts.map { "  \($0)\(String(repeating: " ", count: 12 - $0.count))\($1)" }
        return ([self.input] + lines + ["", "  \(drawing)", ""]).joined(separator: "\n")
    }

    private var facts: [(String, String)] {
        let channels = self.format.channels == 1 ? "mono" : "\(self.format.channels) channels"
        var facts = [
            ("kind", self.kind),
            ("duration", "\(self.seconds.fixed(3)) s (\(self.samples) samples at \(self.format.rate) Hz, \(channels))"),
        ]
        if let bitRate = self.bitRate, let bytes = self.bytes {
            facts.append(("bit rate", "\((Double(bitRate) / 1000).fixed(1)) kbit/s (\(bytes) bytes)"))
        }
        if let opus = self.opus { facts.append(("packets", opus.line)) }
        if let vendor = self.opus?.tags?.vendor { facts.append(("made by", vendor.printable)) }
        for comment in self.opus?.tags?.comments.prefix(10) ?? [] { facts.append(("tag", comment.printable)) }
        facts.append(("loudness", self.loudness.map { "\($0.fixed(1)) LUFS" } ?? "none"))
        facts.append(("peak", "\(Self.decibels(self.samplePeak)), true peak \(Self.decibels(self.truePeak))"))
        facts.append(("silence", "\((self.silentShare * 100).fixed(0)) %"))
        return facts
    }

    private static func decibels(_ level: Double?) -> String {
        level.map { "\($0.fixed(1)) dB" } ?? "none"
    }

    /// For programs.
    var json: String {
        JSONWriter.line { json in
            json.field("input", self.input)
            json.field("kind", self.kind)
            json.field("duration", self.seconds, digits: 6)
            json.field("samples", self.samples)
            json.field("rate", self.format.rate)
            json.field("channels", self.format.channels)
            json.nullable("bytes", self.bytes)
            json.nullable("bitrate", self.bitRate)
            json.field("loudness", self.loudness, digits: 2)
            json.field("peak", self.samplePeak, digits: 2)
            json.field("true_peak", self.truePeak, digits: 2)
            json.field("silence", self.silentShare, digits: 4)
            json.nullable("opus", self.opus) { $0.object($1.write) }
            json.object("waveform", self.writeWaveforms)
            json.array("damage", of: self.damage) { $0.integer($1) }
        }
    }

    private func writeWaveforms(_ json: inout JSONWriter) {
        let hundred = self.waveform(100)
        json.field("parley", Base64.encode(hundred.levels))
        json.field("telegram", Base64.encode(hundred.telegram))
        json.field("whatsapp", Base64.encode(self.waveform(64).whatsApp))
        json.field("discord", Base64.encode(self.discordWaveform.discord))
        json.array("matrix", of: hundred.matrix) { $0.integer($1) }
        json.array("message", of: self.waveform(SoundOutline.barCount).message) { $0.integer(Int($1)) }
    }
}

extension String {
    /// Tags are a stranger's: nothing in them may steer the terminal.
    fileprivate var printable: String {
        let scalars = self.unicodeScalars.prefix(60).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "·"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension SoundInfo.OpusFacts {
    /// More comments, or longer ones, are no voice message's.
    private static let maximumComments = (count: 100, length: 1000)

    fileprivate var line: String {
        let mean = self.packetCount > 0 ? Double(self.packetDuration) / Double(self.packetCount) / 48 : 0
        let rate = (Double(self.bitRate) / 1000).fixed(1)
        return "\(self.packetCount) of \(mean.fixed(1)) ms at \(rate) kbit/s, pre-skip \(self.head.preSkip)"
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.field("packets", self.packetCount)
        json.field("packet_duration", self.packetDuration)
        json.field("bitrate", self.bitRate)
        json.field("pre_skip", self.head.preSkip)
        json.field("input_rate", Int(self.head.inputRate))
        json.field("gain", Double(self.head.gain) / 256, digits: 3)
        json.nullable("vendor", self.tags?.vendor)
        json.array("comments") { json in
            for comment in (self.tags?.comments ?? []).prefix(Self.maximumComments.count) {
                json.string(String(comment.prefix(Self.maximumComments.length)))
            }
        }
    }
}
