/// Makes sound shorter or longer by whole periods of its tone, inaudibly: the waveforms on both sides of the
/// seam are alike, and one fades into the other.
struct TimeStretcher: Hashable, Sendable {
    private let channels: Int
    /// The periods that are tried: 400 Hz to 80 Hz.
    private let shortest: Int
    private let longest: Int
    /// Candidates are first compared at a fraction of the rate.
    private let coarse: Int

    /// What is quieter than this can be cut anywhere.
    private static let silence: Float = 1e-6

    init(rate: Int, channels: Int) {
        self.channels = channels
        self.shortest = rate / 400
        self.longest = rate / 80
        self.coarse = max(1, rate / 8000)
    }

    /// How much sound has to come yet to take a period out of it, and how much was played before to repeat one of it.
    var needed: Int { 2 * self.longest }
    var history: Int { self.longest }

    /// Takes a period out at `front`, and says how long it was; 0 when no two parts are alike enough.
    func shorten(_ sound: inout [Float], at front: Int, similarity: Float) -> Int {
        guard sound.count - front >= self.needed * self.channels else { return 0 }
        let period = self.period(of: similarity) { self.similarity(sound, front, $0, step: $1) }
        let length = period * self.channels
        for index in 0..<length {
            let weight = Float(index) / Float(length)
            sound[front + length + index] =
                sound[front + index] * (1 - weight) + sound[front + length + index] * weight
        }
        sound.removeSubrange(front..<(front + length))
        return period
    }

    /// Repeats the period that was played before `front`, and says how long it was; 0 when what comes is not alike.
    func lengthen(_ sound: inout [Float], at front: Int, similarity: Float) -> Int {
        guard front >= self.history * self.channels, sound.count - front >= self.history * self.channels else {
            return 0
        }
        let period = self.period(of: similarity) { self.similarity(sound, front - $0 * self.channels, $0, step: $1) }
        let length = period * self.channels
        // What comes fades into what was, and then comes.
        let repeated = (0..<length).map { index in
            let weight = Float(index) / Float(max(1, length))
            return sound[front + index] * (1 - weight) + sound[front - length + index] * weight
        }
        sound.insert(contentsOf: repeated, at: front)
        return period
    }

    /// The period at which the sound is most like itself; 0 when it is not enough.
    private func period(of enough: Float, _ similarity: (_ period: Int, _ step: Int) -> Float) -> Int {
        var best = (period: self.shortest, similarity: Float(-1))
        for period in stride(from: self.shortest, through: self.longest, by: self.coarse) {
            let found = similarity(period, self.coarse)
            if found > best.similarity { best = (period, found) }
        }
        let around = max(self.shortest, best.period - self.coarse)...min(self.longest, best.period + self.coarse)
        best.similarity = -1
        for period in around {
            let found = similarity(period, 1)
            if found > best.similarity { best = (period, found) }
        }
        return best.similarity >= enough ? best.period : 0
    }

    /// The correlation of a stretch of sound with what comes one period later: 1 when they are the same.
    private func similarity(_ sound: [Float], _ front: Int, _ period: Int, step: Int) -> Float {
        let window = self.longest
        var (product, left, right): (Float, Float, Float) = (0, 0, 0)
        for index in stride(from: 0, to: window, by: step) {
            let first = sound[front + index * self.channels]
            let second = sound[front + (index + period) * self.channels]
            product += first * second
            left += first * first
            right += second * second
        }
        guard max(left, right) > Self.silence * Float(window / step) else { return 1 }
        guard min(left, right) > 0 else { return 0 }
        return product / (left * right).squareRoot()
    }
}
