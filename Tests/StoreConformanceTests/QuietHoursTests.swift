import Keeping
import Testing
import Vocabulary

@Suite("Quiet hours")
struct QuietHoursTests {
    /// A time of the second day of 1970, in UTC.
    private static func at(_ hour: Int, _ minute: Int = 0) -> WallTime {
        WallTime(seconds: Int64(86_400 + hour * 3600 + minute * 60))
    }

    @Test("H17 are a part of the day, or a night")
    func parts() throws {
        let day = try #require(QuietHours(from: 9 * 60, to: 17 * 60, offset: 0, letsCallsThrough: false))
        #expect([8, 9, 16, 17].map { day.contains(Self.at($0)) } == [false, true, true, false])
        let night = try #require(QuietHours(from: 22 * 60, to: 7 * 60, offset: 0, letsCallsThrough: false))
        #expect([21, 22, 0, 6, 7].map { night.contains(Self.at($0)) } == [false, true, true, true, false])
    }

    @Test("H17 go by the device's clock", arguments: [(480, 14, 0), (-300, 3, 0), (330, 16, 30)])
    func offsets(_ offset: Int, _ hour: Int, _ minute: Int) throws {
        let night = try #require(QuietHours(from: 22 * 60, to: 7 * 60, offset: offset, letsCallsThrough: false))
        #expect(night.contains(Self.at(hour, minute)) && !night.contains(Self.at(hour - 1, minute)))
    }

    @Test("H17 are minutes of a day that are not the same, on a clock of this world")
    func refused() {
        for (start, end, offset) in [(-1, 5, 0), (5, 1440, 0), (5, 5, 0), (5, 6, 841), (5, 6, -721)] {
            #expect(QuietHours(from: start, to: end, offset: offset, letsCallsThrough: true) == nil)
        }
    }
}
