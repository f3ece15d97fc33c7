internal import CPulse

/// Sound from one microphone or to one loudspeaker: floats, one channel, 48 kHz.
@safe final class PulseStream {
    private let connection: PulseConnection
    private let stream: OpaquePointer
    private let direction: SoundDevice.Direction
    private var frame = [Float](repeating: 0, count: SoundFrame.samples)

    private static let sampleBytes = MemoryLayout<Float>.size
    private static let frameBytes = SoundFrame.samples * sampleBytes
    /// What a loudspeaker has in hand, a frame of it in the card: less would be heard as gaps when this machine is busy. After
    /// a gap it begins with all of it.
    private static let playedAhead = 4 * frameBytes
    /// So many frames at once are taken from a microphone or given to a loudspeaker, whatever the server says.
    private static let maximumFrames = 20

    /// - Parameter device: nil for the default. Whether it can be opened shows in the state.
    init?(_ connection: PulseConnection, _ direction: SoundDevice.Direction, device: String?) {
        let functions = unsafe connection.functions
        var format = parley_pulse_format()
        let title = direction == .input ? "Microphone" : "Call"
        guard let stream = unsafe functions.stream_new(connection.context, title, &format, nil) else { return nil }
        self.connection = connection
        unsafe self.stream = stream
        self.direction = direction
        var buffer = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(Self.playedAhead), prebuf: .max,
            minreq: UInt32(Self.frameBytes), fragsize: UInt32(Self.frameBytes))
        switch direction {
        case .input: unsafe _ = functions.stream_connect_record(stream, device, &buffer, PA_STREAM_ADJUST_LATENCY)
        case .output:
            unsafe _ = functions.stream_connect_playback(stream, device, &buffer, PA_STREAM_ADJUST_LATENCY, nil, nil)
        }
    }

    deinit {
        unsafe _ = self.functions.stream_disconnect(self.stream)
        unsafe self.functions.stream_unref(self.stream)
    }

    private var functions: parley_pulse { unsafe self.connection.functions }

    var observation: DeviceFollower.Observation {
        switch unsafe self.functions.stream_get_state(self.stream) {
        case PA_STREAM_READY: .open(name: self.deviceName)
        case PA_STREAM_CREATING: .opening
        default: .gone
        }
    }

    private var deviceName: String {
        guard let name = unsafe self.functions.stream_get_device_name(self.stream) else { return "" }
        return unsafe String(cString: name)
    }

    /// Hands over what the microphone heard since the last time.
    func read(_ body: (Span<Float>) -> Void) {
        for _ in 0..<Self.maximumFrames {
            var data: UnsafeRawPointer?
            var count = 0
            guard unsafe self.functions.stream_peek(self.stream, &data, &count) == 0, count > 0 else { return }
            let samples = count / Self.sampleBytes
            if let data = unsafe data {
                let floats = unsafe UnsafeBufferPointer(
                    start: data.assumingMemoryBound(to: Float.self), count: samples)
                unsafe body(Span(_unsafeElements: floats))
            } else {
                // A hole: nothing was heard there.
                let silence = [Float](repeating: 0, count: min(samples, SoundFrame.samples * Self.maximumFrames))
                body(silence.span)
            }
            unsafe _ = self.functions.stream_drop(self.stream)
        }
    }

    /// Fills what the loudspeaker has room for, until there is no more. It takes several frames at once and then waits, so that
    /// one that is not there yet is missed only when the loudspeaker has run dry.
    func write(_ fill: (_ frame: inout MutableSpan<Float>, _ isDry: Bool) -> Bool) {
        let whole = unsafe Int(clamping: self.functions.stream_get_buffer_attr(self.stream)?.pointee.tlength ?? 0)
        for _ in 0..<Self.maximumFrames {
            let room = unsafe self.functions.stream_writable_size(self.stream)
            // All bits set say that there is an error.
            guard room >= Self.frameBytes, room != Int(bitPattern: UInt.max) else { return }
            var span = self.frame.mutableSpan
            guard fill(&span, room >= whole) else { return }
            unsafe _ = self.functions.stream_write(
                self.stream, self.frame, Self.frameBytes, nil, 0, PA_SEEK_RELATIVE)
        }
    }
}
