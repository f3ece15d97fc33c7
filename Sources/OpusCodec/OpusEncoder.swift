internal import COpus

/// Turns sound into Opus packets. It owns the state of libopus for as long as it lives.
@safe package final class OpusEncoder {
    package enum Application: String, Hashable, Sendable, CaseIterable {
        case voip, audio
        case lowDelay = "lowdelay"
    }

    package enum RateControl: String, Hashable, Sendable, CaseIterable {
        /// As many bits as the sound needs, the bit rate being the mean.
        case variable = "vbr"
        /// The same within narrow bounds.
        case constrained = "cvbr"
        /// Every packet the same size.
        case constant = "cbr"
    }

    package struct Settings: Hashable, Sendable {
        package var application = Application.voip
        package var bitRate = 24_000
        package var rateControl = RateControl.variable
        /// 0, quick, to 10, best.
        package var complexity = 10
        /// Sends next to nothing during silence (DTX).
        package var usesDTX = false
        /// Carries a coarse copy of each frame in the next one.
        package var usesInbandFEC = false
        /// The share of packets expected to get lost, in percent.
        package var expectedLoss = 0
        /// Tells libopus that this is speech, instead of letting it guess.
        package var isSpeech = false
        /// Of the sound as it was recorded, in bits: what is quieter than the least of them is not worth a bit.
        package var depth = 24

        package init() {}
    }

    package static let rates = [8000, 12_000, 16_000, 24_000, 48_000]

    package let rate: Int
    package let channels: Int
    private let state: OpaquePointer
    /// Room for the largest packet: six frames of 1275 bytes, and their lengths.
    private static let packetCapacity = 7680

    package init(rate: Int, channels: Int, settings: Settings = Settings()) throws(OpusError) {
        var code: Int32 = 0
        let created = unsafe opus_encoder_create(
            Int32(clamping: rate), Int32(clamping: channels), settings.application.code, &code)
        guard code == OPUS_OK, let state = unsafe created else { throw OpusError(code) }
        self.rate = rate
        self.channels = channels
        unsafe self.state = state
        try self.apply(settings)
    }

    deinit { unsafe opus_encoder_destroy(self.state) }

    /// May be called between frames. The application cannot change any more.
    package func apply(_ settings: Settings) throws(OpusError) {
        try self.set(OPUS_SET_BITRATE_REQUEST, settings.bitRate)
        try self.set(OPUS_SET_COMPLEXITY_REQUEST, settings.complexity)
        try self.set(OPUS_SET_VBR_REQUEST, settings.rateControl == .constant ? 0 : 1)
        try self.set(OPUS_SET_VBR_CONSTRAINT_REQUEST, settings.rateControl == .constrained ? 1 : 0)
        try self.set(OPUS_SET_DTX_REQUEST, settings.usesDTX ? 1 : 0)
        try self.set(OPUS_SET_INBAND_FEC_REQUEST, settings.usesInbandFEC ? 1 : 0)
        try self.set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, settings.expectedLoss)
        try self.set(OPUS_SET_SIGNAL_REQUEST, settings.isSpeech ? Int(OPUS_SIGNAL_VOICE) : Int(OPUS_AUTO))
        try self.set(OPUS_SET_LSB_DEPTH_REQUEST, settings.depth)
    }

    private func set(_ request: Int32, _ value: Int) throws(OpusError) {
        let code = unsafe parley_opus_encoder_set(self.state, request, Int32(clamping: value))
        guard code == OPUS_OK else { throw OpusError(code) }
    }

    /// How much later the sound comes out of a decoder, in samples at the encoder's rate.
    package var delay: Int {
        var samples: Int32 = 0
        let code = unsafe parley_opus_encoder_get(self.state, OPUS_GET_LOOKAHEAD_REQUEST, &samples)
        return code == OPUS_OK ? Int(samples) : 0
    }

    /// Encodes one frame of 2.5, 5, 10, 20, 40 or 60 ms, all channels one after the other for each
    /// moment, and writes the packet over `output`.
    package func encode(_ frame: Span<Float>, into output: inout [UInt8]) throws(OpusError) {
        let count = Int32(clamping: frame.count / self.channels)
        let size = unsafe frame.withUnsafeBufferPointer { samples -> Int32 in
            guard let base = samples.baseAddress else { return OPUS_BAD_ARG }
            // Lent for this frame only: a call would keep more memory for it than its packets ever fill.
            return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.packetCapacity) { packet in
                guard let start = packet.baseAddress else { return OPUS_BAD_ARG }
                let size = unsafe opus_encode_float(self.state, base, count, start, Int32(packet.count))
                output.removeAll(keepingCapacity: true)
                unsafe output.append(contentsOf: packet.prefix(Int(max(0, size))))
                return size
            }
        }
        guard size > 0 else { throw OpusError(size) }
    }

    /// Forgets the past, as after a seek.
    package func reset() {
        _ = unsafe parley_opus_encoder_reset(self.state)
    }
}

extension OpusEncoder.Application {
    var code: Int32 {
        switch self {
        case .voip: OPUS_APPLICATION_VOIP
        case .audio: OPUS_APPLICATION_AUDIO
        case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
        }
    }
}
