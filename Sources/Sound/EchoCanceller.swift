internal import CSpeexDSP

/// Takes what a loudspeaker said out of what a microphone hears, and noise that goes on and on, ten milliseconds at a time
/// (48 kHz, one channel). It owns the state of libspeexdsp for as long as it lives.
@safe package final class EchoCanceller {
    package struct Settings: Hashable, Sendable {
        package var cancelsEcho = true
        package var suppressesNoise = true

        package init() {}
    }

    private let echo: OpaquePointer?
    private let preprocessor: OpaquePointer?
    private let settings: Settings
    private var near = [Int16](repeating: 0, count: SoundFrame.samples)
    private var far = [Int16](repeating: 0, count: SoundFrame.samples)
    private var clean = [Int16](repeating: 0, count: SoundFrame.samples)

    /// The way of an echo, from when its sound is handed over until it dies away: what waits for the loudspeaker and what
    /// waits behind the microphone are part of it.
    private static let tail = 48_000 / 5
    /// What noise is lowered by: more of it takes some of the voice along.
    private static let noiseDecibels: Int32 = -10
    /// What is left of an echo is lowered by, and while somebody speaks here.
    private static let echoDecibels: (alone: Int32, together: Int32) = (-45, -15)

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        let size = Int32(SoundFrame.samples)
        unsafe self.echo = settings.cancelsEcho ? speex_echo_state_init(size, Int32(Self.tail)) : nil
        let isNeeded = settings.cancelsEcho || settings.suppressesNoise
        unsafe self.preprocessor = isNeeded ? speex_preprocess_state_init(size, SoundFrame.rate) : nil
        if let echo = unsafe self.echo { unsafe _ = parley_speex_echo_set_rate(echo, SoundFrame.rate) }
        self.set(SPEEX_PREPROCESS_SET_DENOISE, settings.suppressesNoise ? 1 : 0)
        self.set(SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, Self.noiseDecibels)
        guard let preprocessor = unsafe self.preprocessor, let echo = unsafe self.echo else { return }
        unsafe _ = parley_speex_preprocess_set_echo(preprocessor, echo)
        self.set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, Self.echoDecibels.alone)
        self.set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, Self.echoDecibels.together)
    }

    deinit {
        if let preprocessor = unsafe self.preprocessor { unsafe speex_preprocess_state_destroy(preprocessor) }
        if let echo = unsafe self.echo { unsafe speex_echo_state_destroy(echo) }
    }

    private func set(_ request: Int32, _ value: Int32) {
        guard let preprocessor = unsafe self.preprocessor else { return }
        unsafe _ = parley_speex_preprocess_set(preprocessor, request, value)
    }

    /// - Parameters:
    ///   - near: what the microphone heard; what is left of it afterwards.
    ///   - far: what was handed to the loudspeaker at the same time.
    package func process(_ near: inout [Float], hearing far: [Float]) {
        guard let preprocessor = unsafe self.preprocessor, near.count == SoundFrame.samples, far.count == near.count
        else { return }
        for index in near.indices { self.near[index] = Int16(sample: near[index]) }
        for index in far.indices { self.far[index] = Int16(sample: far[index]) }
        if let echo = unsafe self.echo {
            unsafe speex_echo_cancellation(echo, self.near, self.far, &self.clean)
        } else {
            swap(&self.near, &self.clean)
        }
        unsafe _ = speex_preprocess_run(preprocessor, &self.clean)
        for index in near.indices { near[index] = Float(self.clean[index]) / 32768 }
    }
}

extension Int16 {
    /// What is no number is silence.
    fileprivate init(sample: Float) {
        self = sample.isNaN ? 0 : Int16(Swift.max(-32768, Swift.min(32767, (sample * 32768).rounded())))
    }
}
