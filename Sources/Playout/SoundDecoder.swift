/// What turns packets into sound, and makes sound up where there are none. It remembers what it decoded before.
///
/// Counts are in samples of each channel; sound holds all channels of a moment, then those of the next, and always has
/// room for more than it takes.
package protocol SoundDecoder {
    /// Decodes a packet over the front of `sound` and says how much it is; nil for what is no packet.
    mutating func decode(_ packet: Span<UInt8>, into sound: inout MutableSpan<Float>) -> Int?

    /// Goes on for `count` samples as if nothing had happened, ever more quietly.
    mutating func conceal(_ count: Int, into sound: inout MutableSpan<Float>)

    /// Takes the `count` samples before a packet from the coarse copy in it, and says whether there was one: what has none
    /// is concealed.
    mutating func recover(_ count: Int, from next: Span<UInt8>, into sound: inout MutableSpan<Float>) -> Bool
}
