import System
import AudioFiles
import OpusCodec
import SoundFiles

/// Makes one voice message out of one recording.
package struct EncodeJob: Sendable {
    package var input: VoiceInput
    package var output: VoiceOutput
    package var settings: VoiceSettings
    /// What the input is when it has no header.
    package var raw: RawFormat?

    package init(input: VoiceInput, output: VoiceOutput, settings: VoiceSettings, raw: RawFormat? = nil) {
        self.input = input
        self.output = output
        self.settings = settings
        self.raw = raw
    }

    package struct Report: Hashable, Sendable {
        package var input: String
        package var output: String
        package var source: String
        /// Samples at 48 kHz that a player gives out.
        package var samples = 0
        package var bytes = 0
        /// The packets of the input were kept as they were.
        package var isRemuxed = false
        /// How much louder the recording was made, in dB.
        package var gain: Double?
        /// The gain is smaller than the loudness asked for, because the peaks have no more room.
        package var isLimitedByPeak = false
        /// The input went on after the longest duration.
        package var isCut = false
        package var damage: [Int] = []

        package var seconds: Double { Double(self.samples) / Double(OpusPacket.clockRate) }
        /// In bits per second, container included.
        package var bitRate: Int { self.samples > 0 ? Int(Double(self.bytes) * 8 / self.seconds) : 0 }
    }

    package func run(listener: ProgressListener? = nil) throws -> Report {
        var file = try self.input.open()
        if self.needsFirstPass || self.settings.keepsOnlyWidebandSpeech { file = try file.rereadable() }
        if self.raw == nil, self.settings.keepsOpus, !self.needsFirstPass {
            if let report = try self.runInOnePass(file, listener: listener) { return report }
            // The sound cannot stay as it is: from the front, then.
            try file.rewind()
        }
        let firstPass = try self.firstPass(file, listener: listener)
        return try self.encode(try self.openSound(file), of: file, firstPass: firstPass, listener: listener)
    }

    /// Nil for Opus that turns out, somewhere in the middle, to be nothing that can be kept.
    private func runInOnePass(_ file: InputFile, listener: ProgressListener?) throws -> Report? {
        switch try SoundOpener.open(file) {
        case .sound(let source): return try self.encode(source, of: file, firstPass: nil, listener: listener)
        case .opus(let opus):
            guard self.mayKeep(opus.head) else {
                return try self.encode(try OpusSource(opus), of: file, firstPass: nil, listener: listener)
            }
            guard self.output.isStream, file.isSeekable else {
                return try self.remux(opus, of: file, listener: listener)
            }
            // What has gone into a pipe cannot be taken back: the whole file is looked at first.
            guard try opus.isOneRecording() else { return nil }
            try file.rewind()
            guard case .opus(let again) = try SoundOpener.open(file) else { return nil }
            return try self.remux(again, of: file, listener: listener)
        }
    }

    private var needsFirstPass: Bool { self.settings.loudness != nil || self.settings.trimsSilence }

    private func openSound(_ file: InputFile) throws -> any SoundSource {
        switch try SoundOpener.open(file, raw: self.raw) {
        case .sound(let source): return source
        case .opus(let opus): return try OpusSource(opus)
        }
    }

    private func firstPass(_ file: InputFile, listener: ProgressListener?) throws -> FirstPass? {
        guard self.needsFirstPass else { return nil }
        let source = try self.openSound(file)
        let firstPass = try FirstPass(of: source, meter: ProgressMeter(file, passes: 2, listener: listener))
        try file.rewind()
        return firstPass
    }
}

extension EncodeJob {
    fileprivate func encode(
        _ source: any SoundSource, of file: InputFile, firstPass: FirstPass?, listener: ProgressListener?
    ) throws -> Report {
        var report = Report(input: self.input.name, output: self.output.name, source: source.kind)
        let limit = self.settings.maximumDuration.map { Int($0 * Double(source.format.rate)) }
        let range = self.range(in: firstPass, limit: limit)
        let boost = self.settings.loudness.flatMap { firstPass?.gain(to: $0) }
        report.gain = boost?.decibels
        report.isLimitedByPeak = boost?.isLimitedByPeak ?? false
        let rate = self.settings.rate ?? Self.opusRate(for: source.format.rate)
        let mono = try ShapedSource(source, rate: rate, isMono: true, range: range, gain: boost?.factor ?? 1)
        var encoder = try VoiceEncoder(rate: rate, inputRate: source.format.rate, settings: self.settings)
        var meter = ProgressMeter(file, passes: firstPass == nil ? 1 : 2, listener: listener)
        let output = try self.output.open()
        var samples: [Float] = []
        while true {
            try mono.read(into: &samples)
            guard !samples.isEmpty else { break }
            try encoder.append(samples.span)
            try Self.write(&encoder.output, to: output)
            meter.soundPassed(samples.count, rate: rate)
        }
        try encoder.finish()
        try Self.write(&encoder.output, to: output)
        try output.commit()
        report.isCut = mono.isCut && limit == range?.count
        report.samples = encoder.sampleCount * (OpusPacket.clockRate / rate)
        report.bytes = output.byteCount
        report.damage = source.damage
        return report
    }

    /// Which samples of the source are wanted; nil means all.
    private func range(in firstPass: FirstPass?, limit: Int?) -> Range<Int>? {
        let sound = self.settings.trimsSilence ? firstPass?.soundRange : nil
        guard sound != nil || limit != nil else { return nil }
        let start = sound?.lowerBound ?? 0
        let end = min(sound?.upperBound ?? .max, limit.map { start + $0 } ?? .max)
        return start..<end
    }

    /// The lowest rate of Opus that keeps all of a recording.
    private static func opusRate(for rate: Int) -> Int {
        OpusEncoder.rates.first { $0 >= rate } ?? OpusPacket.clockRate
    }

    fileprivate static func write(_ bytes: inout [UInt8], to output: OutputFile) throws(SystemError) {
        try output.write(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }
}

extension EncodeJob {
    /// Nil when the sound cannot stay as it is.
    fileprivate func remux(_ opus: OpusFile, of file: InputFile, listener: ProgressListener?) throws -> Report? {
        var report = Report(input: self.input.name, output: self.output.name, source: "\(opus.container) Opus")
        var meter = ProgressMeter(file, listener: listener)
        var remuxer: OpusRemuxer?
        let output = try self.output.open()
        while let event = try opus.next() {
            if remuxer == nil, case .packet(let packet) = event {
                guard self.mayKeep(packet) else { return nil }
                remuxer = self.remuxer(head: opus.head, tags: opus.tags)
            }
            do {
                try remuxer?.add(event)
            } catch OpusRemuxer.Failure.chained where file.isSeekable {
                return nil
            }
            if var started = remuxer.take() {
                try Self.write(&started.output, to: output)
                remuxer = started
            }
            if case .packet(let packet) = event { meter.soundPassed(packet.duration, rate: OpusPacket.clockRate) }
            if remuxer?.isFull == true { break }
        }
        guard var done = remuxer else { throw VoiceEncoder.Failure.noSound }
        try done.finish()
        try Self.write(&done.output, to: output)
        try output.commit()
        report.isRemuxed = true
        report.isCut = done.isFull
        report.samples = done.duration
        report.bytes = output.byteCount
        report.damage = opus.damage
        return report
    }

    private func mayKeep(_ head: OpusHead) -> Bool {
        head.mapping == nil && (head.channels == 1 || !self.settings.keepsOnlyMono)
    }

    private func mayKeep(_ packet: OpusFilePacket) -> Bool {
        // Configurations 8 to 11 are wideband in SILK (RFC 6716 §3.1, table 2).
        !self.settings.keepsOnlyWidebandSpeech || (8...11).contains(packet.bytes[0] >> 3)
    }

    /// The delay of libopus, in samples at 48 kHz.
    private static let usualPreSkip = 312

    private func remuxer(head: OpusHead, tags: OpusTags?) -> OpusRemuxer {
        let limit = self.settings.maximumDuration.map { Int($0 * Double(OpusPacket.clockRate)) }
        let own = OpusTags(vendor: OpusError.library, comments: ["ENCODER=parley voice"])
        var head = head
        // Browsers write a pre-skip of nothing, although their encoder is libopus and late like ours: players
        // would begin with its start-up, and opusinfo finds that implausible.
        if head.preSkip == 0 { head.preSkip = Self.usualPreSkip }
        var tags = tags ?? own
        tags.comments += self.settings.comments
        return OpusRemuxer(head: head, tags: tags, framesPerPacket: self.settings.framesPerPacket, limit: limit)
    }
}
