import AudioStreams
import MediaStreams
import RTP
import TestSupport
import Testing

@Suite("A grade of a call")
struct CallGradeTests {
    @Test("is best without any trouble, and worse with each")
    func order() {
        let best = CallGrade(concealedShare: 0, mouthToEar: .milliseconds(50))
        #expect(best.rating > 90 && best.opinion > 4.3)
        var last = best
        for percent in [1, 3, 10, 30, 100] {
            let grade = CallGrade(concealedShare: Double(percent) / 100, mouthToEar: .milliseconds(50))
            #expect(grade.rating < last.rating && grade.opinion <= last.opinion)
            last = grade
        }
        for milliseconds in [150, 300, 600, 2000] {
            let grade = CallGrade(concealedShare: 0, mouthToEar: .milliseconds(milliseconds))
            #expect(grade.rating < best.rating && grade.opinion >= 1)
        }
    }

    @Test("agrees with the table of G.107 where nothing is lost", arguments: [(93.2, 4.41), (80.0, 4.03), (60.0, 3.1)])
    func opinion(rating: Double, opinion: Double) {
        // A delay that takes just as much away.
        let extra = (93.2 - rating - 0.024 * 177.3) / 0.134
        let delay = extra > 0 ? 177.3 + extra : (93.2 - rating) / 0.024
        let grade = CallGrade(concealedShare: 0, mouthToEar: .nanoseconds(Int64(delay * 1e6)))
        #expect(abs(grade.rating - rating) < 0.1)
        #expect(abs(grade.opinion - opinion) < 0.02)
    }
}
