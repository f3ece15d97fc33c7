import Arguments
import JSON
import OpusCodec
import Voice

/// `parley voice decode`
struct VoiceDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "decode",
        abstract: "Decode voice messages to WAV files or raw samples.",
        discussion: """
            The result has the sample rate of the original recording where Opus supports it, 48000 Hz otherwise, \
            and exactly as many samples as the file declares.
            """,
        examples: [
            .init("parley voice decode note.ogg", "Makes note.wav."),
            .init(
                "parley voice decode --headerless --rate 48000 -o - note.ogg | aplay -f S16_LE -r 48000", "Plays it."),
        ],
        exitCodes: VoiceCommand.exitCodes
    )

    @OptionGroup var files: VoiceFiles

    @Option(help: "Sample format: 16 or 24 bits, or floating point.")
    var format = SampleForm.s16

    @Flag(help: "Raw little-endian samples without a WAV header.")
    var headerless = false

    @Option(help: ArgumentHelp("Sample rate.", valueName: "HZ"))
    var rate: Int?

    @Flag(help: "Mix down to one channel.")
    var mono = false

    @Option(help: "Begin at this time of the recording.")
    var from = Duration.zero

    func validate() throws(ValidationError) {
        if let rate = self.rate, !(8000...192_000).contains(rate) {
            throw ValidationError("--rate: \(rate) is not between 8000 and 192000")
        }
    }

    mutating func run() throws -> ExitCode {
        let encoding = self.format.encoding
        let form: DecodeJob.Form = self.headerless ? .raw(encoding) : .wav(encoding)
        let (rate, isMono, start) = (self.rate, self.mono, self.from)
        return try self.files.run(extension: self.headerless ? "raw" : "wav", named: "parley voice decode") {
            input, output, listener in
            let job = DecodeJob(input: input, output: output, form: form, rate: rate, isMono: isMono, start: start)
            return try job.run(listener: listener)
        }
    }
}

extension DecodeJob.Report: VoiceReport {
    var line: String {
        let channels = self.channels == 1 ? "mono" : "\(self.channels) channels"
        return "\(self.output)  \(self.seconds.fixed(2)) s  \(self.samples) samples  \(self.rate) Hz \(channels)"
    }

    var json: String {
        JSONWriter.line { json in
            json.field("input", self.input)
            json.field("output", self.output)
            json.field("source", self.source)
            json.field("duration", self.seconds, digits: 6)
            json.field("samples", self.samples)
            json.field("rate", self.rate)
            json.field("channels", self.channels)
            json.field("bytes", self.bytes)
            json.array("damage", of: self.damage) { $0.integer($1) }
        }
    }
}
