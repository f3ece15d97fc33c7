/// How loud is what is made up: a short gap is filled as it is, in a longer one the sound dies away, and what comes after it begins softly.
/// Without it a decoder goes on humming for seconds after the other side is gone.
struct ConcealmentFade: Hashable, Sendable {
    private let channels: Int
    /// Where it begins, how long it takes, and how long the way back is, in samples.
    private let begin: Int
    private let length: Int
    private let recovery: Int
    /// So many samples were made up in a row; less each time something else is heard, until it is as loud as it was.
    private var made = 0

    init(rate: Int, channels: Int) {
        self.channels = channels
        self.begin = rate / 1000 * 80
        self.length = rate / 1000 * 160
        self.recovery = rate / 1000 * 10
    }

    /// Nothing is to be heard any more.
    var isOver: Bool { self.made >= self.begin + self.length }

    private func gain(_ made: Int) -> Float {
        made <= self.begin ? 1 : max(0, 1 - Float(made - self.begin) / Float(self.length))
    }

    /// Quietens what was made up and now stands at the end of `sound`.
    mutating func conceal(_ sound: inout [Float], last count: Int) {
        defer { self.made = min(self.made + count, self.begin + self.length) }
        guard self.made + count > self.begin else { return }
        let start = sound.count - count * self.channels
        for index in 0..<(count * self.channels) {
            sound[start + index] *= self.gain(self.made + index / self.channels)
        }
    }

    /// The same for what came over the network.
    mutating func resume(_ sound: inout [Float], last count: Int) {
        defer { self.made = 0 }
        guard self.made > self.begin else { return }
        let (start, quietest) = (sound.count - count * self.channels, self.gain(self.made))
        for index in 0..<min(count, self.recovery) * self.channels {
            let weight = Float(index / self.channels) / Float(self.recovery)
            sound[start + index] *= quietest + (1 - quietest) * weight
        }
    }
}
