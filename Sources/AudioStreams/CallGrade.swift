/// How a call would be graded by those who listen and talk, from what is measured (ITU-T G.107, as G.113 has it for
/// wideband speech in a narrow one's terms): an estimate, not an opinion.
package struct CallGrade: Hashable, Sendable {
    /// 0 to 100.
    package let rating: Double

    /// Without any trouble, with the defaults of everything that is not measured here.
    private static let best = 93.2
    /// How much of the sound may be made up before it is half as good: Opus makes up well.
    private static let robustness = 20.0

    /// - Parameters:
    ///   - concealedShare: the share of the sound that was, from 0 to 1.
    ///   - mouthToEar: one way, with the wait before playing.
    package init(concealedShare: Double, mouthToEar: Duration) {
        let delay = mouthToEar / .milliseconds(1)
        let waiting = 0.024 * delay + (delay > 177.3 ? 0.11 * (delay - 177.3) : 0)
        let percent = 100 * concealedShare
        let damage = 95 * percent / (percent + Self.robustness)
        self.rating = min(max(0, Self.best - waiting - damage), 100)
    }

    /// Of the five grades, as people give them (G.107 annex B).
    package var opinion: Double {
        guard self.rating > 0 else { return 1 }
        let rating = self.rating
        return max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6)
    }
}
