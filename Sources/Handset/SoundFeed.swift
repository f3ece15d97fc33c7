/// Where the sound comes from that is spoken into a call: 48 kHz, the channels of a moment side by side, as much as is asked
/// for.
package protocol SoundFeed: SoundEnd {
    /// Fills `sound` from the front and says how much there was: less than wanted at the end, or when there is no more yet.
    func read(into sound: inout MutableSpan<Float>) throws -> Int
    /// Nothing more will come.
    var isOver: Bool { get }
}
