internal import AudioFiles
internal import MediaStreams
internal import OpusCodec
internal import Playout

/// The decoder of a stream that is played. What the other side sends may be anything, so what libopus refuses is silence.
struct OpusSoundDecoder: SoundDecoder {
    private let channels: Int
    /// Made with the first packet that is played: a stream that is only passed on needs none.
    private var decoder: OpusDecoder?

    /// What is made up is made in pieces of 2.5 ms (opus.h).
    private static let grain = MediaClock.opus.rate / 400

    init(channels: Int) {
        self.channels = channels
    }

    private mutating func ready() throws(OpusError) -> OpusDecoder {
        if let decoder = self.decoder { return decoder }
        let decoder = try OpusDecoder(rate: MediaClock.opus.rate, channels: self.channels)
        self.decoder = decoder
        return decoder
    }

    mutating func decode(_ packet: Span<UInt8>, into sound: inout MutableSpan<Float>) -> Int? {
        try? self.ready().decode(packet, into: &sound)
    }

    mutating func conceal(_ count: Int, into sound: inout MutableSpan<Float>) {
        let whole = self.whole(count, in: sound)
        let made = (try? self.ready().conceal(whole, into: &sound)) ?? 0
        self.clear(from: made, to: count, in: &sound)
    }

    mutating func recover(_ count: Int, from next: Span<UInt8>, into sound: inout MutableSpan<Float>) -> Bool {
        let whole = self.whole(count, in: sound)
        let made = (try? self.ready().recover(whole, from: next, into: &sound)) ?? 0
        self.clear(from: made, to: count, in: &sound)
        return made >= count && OpusPacket.hasRedundancy(next)
    }

    private func whole(_ count: Int, in sound: borrowing MutableSpan<Float>) -> Int {
        let grains = (count + Self.grain - 1) / Self.grain
        return min(grains, sound.count / self.channels / Self.grain) * Self.grain
    }

    private func clear(from made: Int, to count: Int, in sound: inout MutableSpan<Float>) {
        guard made < count else { return }
        for index in (made * self.channels)..<(count * self.channels) { sound[index] = 0 }
    }
}
