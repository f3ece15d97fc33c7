import Arguments
import JSON
import OpusCodec
import Voice

/// `parley voice encode`
struct VoiceEncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "encode",
        abstract: "Make small Ogg Opus files out of recordings.",
        discussion: """
            Reads WAV, AIFF, CAF, FLAC, MP3, Ogg and WebM natively, and AMR, AAC, M4A and more through ffmpeg where \
            that is installed. Opus audio that already fits is not encoded again, unless an option asks for it. A \
            result file appears only when it is complete.
            """,
        examples: [
            .init("parley voice encode hello.wav", "Makes hello.ogg, which plays everywhere."),
            .init("parley voice encode --preset whatsapp --normalize -16 *.m4a --out-dir sent", "Many at once."),
            .init(
                "arecord -f S16_LE -r 16000 | parley voice encode --raw s16le:16000:1 - > note.ogg", "As it is spoken."),
        ],
        exitCodes: VoiceCommand.exitCodes
    )

    @OptionGroup var files: VoiceFiles

    @Option(help: "Service that the result is for.")
    var preset: VoicePreset?

    @Option(help: "Bits per second; default: 24k.")
    var bitrate: BitRate?

    @Option(help: "What to optimise for; default: recorded speech.")
    var application: OpusEncoder.Application?

    @Option(help: ArgumentHelp("Encoder complexity from 0 (fastest) to 10 (best); default: 10.", valueName: "0-10"))
    var complexity: Int?

    @Option(help: ArgumentHelp("Length of a frame in milliseconds: 5, 10, 20, 40 or 60.", valueName: "MS"))
    var frame: Int?

    @Option(help: ArgumentHelp("Frames per packet.", valueName: "N"))
    var pack: Int?

    @Flag(help: "Variable bit rate (the default).")
    var vbr = false

    @Flag(help: "Constrained variable bit rate.")
    var cvbr = false

    @Flag(help: "Constant bit rate.")
    var cbr = false

    @Flag(help: "Discontinuous transmission: hardly any bits during silence.")
    var dtx = false

    @Option(help: ArgumentHelp("Normalize the loudness to this value (EBU R128).", valueName: "LUFS"))
    var normalize: Double?

    @Flag(help: "Remove silence at both ends.")
    var trimSilence = false

    @Option(help: "Cut the recording after this time.")
    var max: Duration?

    @Option(help: "Format of a recording without a header: encoding, rate and channels.")
    var raw: RawFormat?

    func validate() throws(ValidationError) {
        if [self.vbr, self.cvbr, self.cbr].filter(\.self).count > 1 {
            throw ValidationError("--vbr, --cvbr and --cbr do not go together")
        }
        if let complaint = self.settings.complaint { throw ValidationError(complaint) }
    }

    var settings: VoiceSettings {
        var settings = (self.preset ?? .default).settings
        if let bitrate = self.bitrate { settings.encoder.bitRate = bitrate.bitsPerSecond }
        if let application = self.application {
            settings.encoder.application = application
            settings.encoder.isSpeech = false
        }
        if let complexity = self.complexity { settings.encoder.complexity = complexity }
        if let frame = self.frame {
            settings.frame = frame
            // Three frames of 60 ms would be more than a packet holds.
            settings.framesPerPacket = Swift.min(settings.framesPerPacket, Swift.max(1, 60 / Swift.max(1, frame)))
        }
        if let pack = self.pack { settings.framesPerPacket = pack }
        if self.cvbr { settings.encoder.rateControl = .constrained }
        if self.cbr { settings.encoder.rateControl = .constant }
        settings.encoder.usesDTX = self.dtx
        settings.loudness = self.normalize
        settings.trimsSilence = self.trimSilence
        settings.maximumDuration = self.max.map { $0 / .seconds(1) }
        settings.keepsOpus = !self.asksForAnotherSound
        return settings
    }

    /// Then Opus cannot stay as it is.
    private var asksForAnotherSound: Bool {
        self.bitrate != nil || self.application != nil || self.complexity != nil || self.frame != nil
            || self.vbr || self.cvbr || self.cbr || self.dtx
    }

    mutating func run() throws -> ExitCode {
        let (settings, raw) = (self.settings, self.raw)
        return try self.files.run(extension: "ogg", named: "parley voice encode") { input, output, listener in
            try EncodeJob(input: input, output: output, settings: settings, raw: raw).run(listener: listener)
        }
    }
}

extension EncodeJob.Report: VoiceReport {
    var line: String {
        var notes: [String] = []
        if self.isRemuxed { notes.append("sound kept") }
        if let gain = self.gain { notes.append("\(gain < 0 ? "" : "+")\(gain.fixed(1)) dB") }
        if self.isLimitedByPeak { notes.append("peaks leave no more room") }
        if self.isCut { notes.append("cut") }
        let tail = notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))"
        let rate = (Double(self.bitRate) / 1000).fixed(1)
        return "\(self.output)  \(self.seconds.fixed(2)) s  \(self.bytes) bytes  \(rate) kbit/s\(tail)"
    }

    var json: String {
        JSONWriter.line { json in
            json.field("input", self.input)
            json.field("output", self.output)
            json.field("source", self.source)
            json.field("duration", self.seconds, digits: 6)
            json.field("samples", self.samples)
            json.field("bytes", self.bytes)
            json.field("bitrate", self.bitRate)
            json.field("remuxed", self.isRemuxed)
            json.field("gain", self.gain, digits: 2)
            json.field("limited_by_peak", self.isLimitedByPeak)
            json.field("cut", self.isCut)
            json.array("damage", of: self.damage) { $0.integer($1) }
        }
    }
}
