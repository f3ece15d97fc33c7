internal import COpus

/// Turns Opus packets that hold several streams, for up to 255 channels, into sound.
@safe package final class OpusSurroundDecoder {
    package let rate: Int
    package let channels: Int
    private let state: OpaquePointer

    /// `mapping` says for each channel which decoded stream feeds it (RFC 7845 §5.1.1).
    package init(rate: Int, streams: Int, coupled: Int, mapping: [UInt8]) throws(OpusError) {
        var code: Int32 = 0
        let (rate32, streams32, coupled32) = (Int32(clamping: rate), Int32(clamping: streams), Int32(clamping: coupled))
        let created = unsafe opus_multistream_decoder_create(
            rate32, Int32(clamping: mapping.count), streams32, coupled32, mapping, &code)
        guard code == OPUS_OK, let state = unsafe created else { throw OpusError(code) }
        self.rate = rate
        self.channels = mapping.count
        unsafe self.state = state
    }

    deinit { unsafe opus_multistream_decoder_destroy(self.state) }

    /// Makes everything louder, in 1/256 dB.
    package func setGain(_ gain: Int16) throws(OpusError) {
        let code = unsafe parley_opus_multistream_decoder_set(self.state, OPUS_SET_GAIN_REQUEST, Int32(gain))
        guard code == OPUS_OK else { throw OpusError(code) }
    }

    /// Decodes a packet, or makes up `samples` samples where there is none, over the front of `sound`.
    package func decode(
        _ packet: Span<UInt8>?, samples: Int, into sound: inout MutableSpan<Float>
    ) throws(OpusError) -> Int {
        guard samples >= 0, samples <= sound.count / self.channels else { throw .badArgument }
        let room = Int32(clamping: samples)
        let decoded = unsafe sound.withUnsafeMutableBufferPointer { output -> Int32 in
            guard let base = output.baseAddress else { return OPUS_BAD_ARG }
            guard let packet else { return unsafe opus_multistream_decode_float(self.state, nil, 0, base, room, 0) }
            return unsafe packet.withUnsafeBufferPointer { bytes in
                unsafe opus_multistream_decode_float(self.state, bytes.baseAddress, Int32(bytes.count), base, room, 0)
            }
        }
        guard decoded >= 0 else { throw OpusError(decoded) }
        return Int(decoded)
    }
}
