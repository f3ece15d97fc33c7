/// How sound is laid out: samples per second, and who hears which channel.
package struct SoundFormat: Hashable, Sendable {
    package var rate: Int
    package var speakers: Speakers

    package var channels: Int { self.speakers.count }

    package init(rate: Int, speakers: Speakers) {
        self.rate = rate
        self.speakers = speakers
    }

    /// More would be no recording of a voice, and the limits keep every sum below in its range.
    package static let rates = 1000...768_000
    package static let channelCounts = 1...64
}
