import Testing
import Vocabulary

@Suite("A day of the calendar")
struct CalendarDayTests {
    @Test(
        "is counted from 1970 on, and before it",
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (19_782, 2024, 2, 29), (19_783, 2024, 3, 1),
            (47_540, 2100, 2, 28), (47_541, 2100, 3, 1), (2_932_896, 9999, 12, 31), (-719_468, 0, 3, 1),
            (-719_469, 0, 2, 29), (-865_566, -400, 2, 29),
        ])
    func counted(number: Int, year: Int, month: Int, day: Int) {
        let date = CalendarDay(number)
        #expect([date.year, date.month, date.day] == [year, month, day])
        #expect(date.number == number)
    }

    @Test("has the number it was made of, for eight hundred years")
    func roundTrip() {
        for number in -146_097...146_097 where CalendarDay(number).number != number {
            Issue.record("\(number) is \(CalendarDay(number))")
        }
    }

    @Test(
        "is none where the calendar has none",
        arguments: [
            [2023, 2, 29], [2100, 2, 29], [2024, 13, 1], [2024, 0, 1], [2024, 4, 31], [2024, 1, 0], [1969, 12, 31],
        ])
    func none(_ parts: [Int]) {
        #expect(CalendarDay(year: parts[0], month: parts[1], day: parts[2]) == nil)
    }

    @Test("is one where it has one")
    func one() throws {
        let leap = try #require(CalendarDay(year: 2024, month: 2, day: 29))
        #expect(leap == CalendarDay(19_782))
    }
}
