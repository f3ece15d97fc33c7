/// Many channels into one.
package enum Downmix {
    /// Writes over `mono`. `samples` holds all channels, one after the other for each moment.
    package static func mix(_ samples: Span<Float>, weights: [Float], into mono: inout [Float]) {
        mono.removeAll(keepingCapacity: true)
        let channels = weights.count
        let frames = samples.count / channels
        guard channels != 2 else {
            for frame in 0..<frames { mono.append((samples[2 * frame] + samples[2 * frame + 1]) * 0.5) }
            return
        }
        let weights = weights.span
        for frame in 0..<frames {
            var sum: Float = 0
            for channel in 0..<channels { sum += samples[frame * channels + channel] * weights[channel] }
            mono.append(sum)
        }
    }
}
