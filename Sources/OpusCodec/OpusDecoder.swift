internal import COpus

/// Turns Opus packets of one or two channels into sound, and makes sound up where packets are missing.
@safe package final class OpusDecoder {
    package let rate: Int
    package let channels: Int
    private let state: OpaquePointer

    /// Any of the rates of `OpusEncoder`, whatever the packets were made at.
    package init(rate: Int, channels: Int) throws(OpusError) {
        var code: Int32 = 0
        let created = unsafe opus_decoder_create(Int32(clamping: rate), Int32(clamping: channels), &code)
        guard code == OPUS_OK, let state = unsafe created else { throw OpusError(code) }
        self.rate = rate
        self.channels = channels
        unsafe self.state = state
    }

    deinit { unsafe opus_decoder_destroy(self.state) }

    /// Makes everything louder, in 1/256 dB: the gain of an Ogg Opus head.
    package func setGain(_ gain: Int16) throws(OpusError) {
        let code = unsafe parley_opus_decoder_set(self.state, OPUS_SET_GAIN_REQUEST, Int32(gain))
        guard code == OPUS_OK else { throw OpusError(code) }
    }

    /// Decodes a packet over the front of `sound`, which must have room, and says how many samples of
    /// each channel there are.
    package func decode(_ packet: Span<UInt8>, into sound: inout MutableSpan<Float>) throws(OpusError) -> Int {
        try self.decode(packet, samples: sound.count / self.channels, fec: 0, into: &sound)
    }

    /// Makes up the sound of a missing packet of `samples` samples.
    package func conceal(_ samples: Int, into sound: inout MutableSpan<Float>) throws(OpusError) -> Int {
        try self.decode(nil, samples: samples, fec: 0, into: &sound)
    }

    /// Takes a missing packet of `samples` samples from the coarse copy in the packet after it.
    package func recover(
        _ samples: Int, from next: Span<UInt8>, into sound: inout MutableSpan<Float>
    ) throws(OpusError) -> Int {
        try self.decode(next, samples: samples, fec: 1, into: &sound)
    }

    private func decode(
        _ packet: Span<UInt8>?, samples: Int, fec: Int32, into sound: inout MutableSpan<Float>
    ) throws(OpusError) -> Int {
        guard samples >= 0, samples <= sound.count / self.channels else { throw .badArgument }
        let room = Int32(clamping: samples)
        let decoded = unsafe sound.withUnsafeMutableBufferPointer { output -> Int32 in
            guard let base = output.baseAddress else { return OPUS_BAD_ARG }
            guard let packet else { return unsafe opus_decode_float(self.state, nil, 0, base, room, 0) }
            return unsafe packet.withUnsafeBufferPointer { bytes in
                unsafe opus_decode_float(self.state, bytes.baseAddress, Int32(bytes.count), base, room, fec)
            }
        }
        guard decoded >= 0 else { throw OpusError(decoded) }
        return Int(decoded)
    }

    /// Forgets the past, as after a seek.
    package func reset() {
        _ = unsafe parley_opus_decoder_reset(self.state)
    }
}
