internal import CSoxr

/// Changes the sampling rate of sound, piece by piece, with libsoxr.
@safe package final class Resampler {
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let state: OpaquePointer
    private var room: [Float]
    private let channels: Int

    package init(from inputRate: Int, to outputRate: Int, channels: Int = 1) throws(Failure) {
        var failure: soxr_error_t?
        // Twenty bits of precision: the noise is below that of a 16-bit recording.
        var quality = unsafe soxr_quality_spec(UInt(SOXR_HQ), 0)
        var layout = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var threads = unsafe soxr_runtime_spec(1)
        let (input, output, count) = (Double(inputRate), Double(outputRate), UInt32(clamping: channels))
        let created = unsafe soxr_create(input, output, count, &failure, &layout, &quality, &threads)
        guard let state = unsafe created else {
            throw unsafe Failure(
                description: "libsoxr: \(failure.map { unsafe String(cString: $0) } ?? "out of memory")")
        }
        unsafe self.state = state
        self.channels = channels
        self.room = Array(repeating: 0, count: 8192 * channels)
    }

    deinit { unsafe soxr_delete(self.state) }

    /// Takes `samples` in, all channels one after the other for each moment, and appends what is ready to `output`.
    package func resample(_ samples: Span<Float>, into output: inout [Float]) throws(Failure) {
        var used = 0
        while used < samples.count {
            let rest = samples.extracting(used...)
            let (taken, given) = try unsafe rest.withUnsafeBufferPointer { input throws(Failure) in
                try unsafe self.process(input.baseAddress, input.count / self.channels, into: &output)
            }
            used += taken * self.channels
            guard taken > 0 || given > 0 else { throw Failure(description: "libsoxr takes nothing") }
        }
    }

    /// Appends what is still on its way. Nothing can be taken in afterwards.
    package func finish(into output: inout [Float]) throws(Failure) {
        while try unsafe self.process(nil, 0, into: &output).given > 0 {}
    }

    private func process(
        _ input: UnsafePointer<Float>?, _ count: Int, into output: inout [Float]
    ) throws(Failure) -> (taken: Int, given: Int) {
        var taken = 0
        var given = 0
        let failure = unsafe self.room.withUnsafeMutableBufferPointer { room in
            unsafe soxr_process(self.state, input, count, &taken, room.baseAddress, room.count / self.channels, &given)
        }
        if let failure = unsafe failure { throw unsafe Failure(description: "libsoxr: \(String(cString: failure))") }
        output.append(contentsOf: self.room[0..<(given * self.channels)])
        return (taken, given)
    }
}
