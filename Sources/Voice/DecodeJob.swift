package import AudioFiles
import SoundFiles

/// Makes plain sound out of one recording: a WAV file, or samples without a header.
package struct DecodeJob: Sendable {
    package enum Form: Hashable, Sendable {
        case wav(SampleEncoding)
        case raw(SampleEncoding)

        var encoding: SampleEncoding {
            switch self {
            case .wav(let encoding), .raw(let encoding): encoding
            }
        }
    }

    package var input: VoiceInput
    package var output: VoiceOutput
    package var form: Form
    /// Nil means the rate of the recording, where Opus has it, and 48 kHz elsewhere.
    package var rate: Int?
    package var isMono: Bool
    /// Where in the recording the result begins.
    package var start: Duration

    package init(
        input: VoiceInput, output: VoiceOutput, form: Form = .wav(.signed16), rate: Int? = nil, isMono: Bool = false,
        start: Duration = .zero
    ) {
        self.input = input
        self.output = output
        self.form = form
        self.rate = rate
        self.isMono = isMono
        self.start = start
    }

    package struct Report: Hashable, Sendable {
        package var input: String
        package var output: String
        package var source: String
        package var rate: Int
        package var channels: Int
        /// Of each channel.
        package var samples = 0
        package var bytes = 0
        package var damage: [Int] = []

        package var seconds: Double { Double(self.samples) / Double(self.rate) }
    }

    package func run(listener: ProgressListener? = nil) throws -> Report {
        let file = try self.input.open()
        let source = try self.openSound(file)
        let format = source.format
        var report = Report(
            input: self.input.name, output: self.output.name, source: source.kind, rate: format.rate,
            channels: format.channels)
        let output = try self.output.open()
        let header = WAVWriter(format: WAVFormat(sound: format, encoding: self.form.encoding))
        if case .wav = self.form { try output.write(header.openHeader.span) }
        report.samples = try self.pour(source, into: output, meter: ProgressMeter(file, listener: listener))
        guard report.samples > 0 || self.start == .zero else {
            throw VoiceFailure(.badData, "\(self.input.name): the recording is over by then")
        }
        if case .wav = self.form { try Self.finish(output, header, samples: report.samples) }
        try output.commit()
        report.bytes = output.byteCount
        report.damage = source.damage
        return report
    }

    private func openSound(_ file: InputFile) throws -> any SoundSource {
        let source: any SoundSource
        switch try SoundOpener.open(file) {
        case .sound(let sound): source = sound
        case .opus(let opus): source = try OpusSource(opus, rate: self.rate)
        }
        let rate = self.rate ?? source.format.rate
        let skipped = self.samples(at: rate)
        let isSameRate = rate == source.format.rate
        // What is brought to another rate depends on all before it, and is left out behind that.
        let seeker = isSameRate ? source as? OpusSource : nil
        seeker?.skip(skipped)
        var shaped = source
        if !isSameRate || (self.isMono && source.format.channels > 1) {
            shaped = try ShapedSource(shaped, rate: rate, isMono: self.isMono)
        }
        guard seeker == nil, skipped > 0 else { return shaped }
        return try ShapedSource(shaped, rate: rate, isMono: false, range: skipped..<Int.max)
    }

    /// How many of each channel are before the start.
    private func samples(at rate: Int) -> Int {
        let (seconds, attoseconds) = self.start.components
        return Int(seconds) * rate + Int((Double(attoseconds) * 1e-18 * Double(rate)).rounded())
    }

    private func pour(
        _ source: any SoundSource, into output: OutputFile, meter progress: ProgressMeter
    ) throws -> Int {
        var meter = progress
        let channels = source.format.channels
        let order = source.format.speakers.wavOrder
        let isOrdered = order.elementsEqual(0..<channels)
        var samples: [Float] = []
        var ordered: [Float] = []
        var bytes: [UInt8] = []
        var count = 0
        while true {
            try source.read(into: &samples)
            guard !samples.isEmpty else { return count }
            if !isOrdered {
                Self.reorder(samples, by: order, into: &ordered)
                swap(&samples, &ordered)
            }
            bytes.removeAll(keepingCapacity: true)
            self.form.encoding.encode(samples.span, to: &bytes)
            try output.write(bytes.span)
            count += samples.count / channels
            meter.soundPassed(samples.count / channels, rate: source.format.rate)
        }
    }

    /// Opus has its channels in the order of Vorbis, WAV in the order of its mask.
    private static func reorder(_ samples: [Float], by order: [Int], into ordered: inout [Float]) {
        ordered.removeAll(keepingCapacity: true)
        for moment in stride(from: 0, to: samples.count, by: order.count) {
            for channel in order { ordered.append(samples[moment + channel]) }
        }
    }

    private static func finish(_ output: OutputFile, _ header: WAVWriter, samples: Int) throws {
        let size = samples * header.format.frameSize
        // Chunks end at even places.
        if !size.isMultiple(of: 2) { try output.write([UInt8](repeating: 0, count: 1).span) }
        guard output.isSeekable else { return }
        try output.overwriteFront(with: header.header(for: size).span)
    }
}
