internal import JSON
internal import Vocabulary

/// When something is announced: once, or again and again.
enum JPushTrigger: Hashable {
    case single(BeijingTime)
    case periodical(Period)

    struct Period: Hashable {
        enum Unit: String { case day, week, month }

        let start: BeijingTime
        let end: BeijingTime
        let secondOfDay: Int
        let unit: Unit
        /// Every second day, week or month is 2.
        let frequency: Int
        /// Days of the week from 1 for Monday, or of the month.
        let points: Set<Int>
    }

    private static let year = Duration.seconds(366 * 86_400)

    init(_ json: [UInt8]) throws(JPushProblem) {
        let object = try JPushObject(json, ["single", "periodical"], as: "trigger")
        switch (object["single"], object["periodical"]) {
        case (.some(let single), nil):
            let part = try JPushObject(single, ["time"], as: "single")
            self = .single(try part.moment("time"))
        case (nil, .some(let periodical)): self = .periodical(try Period(periodical))
        default: throw .wrong("'trigger' must have 'single' or 'periodical'")
        }
    }

    /// Whether it makes sense to make it now.
    func check(at now: WallTime) throws(JPushProblem) {
        guard self.next(after: now) != nil else { throw .wrong("'trigger' names no time that is to come") }
        switch self {
        case .single(let time):
            guard time.wall < now + Self.year else { throw .wrong("'time' must be within a year") }
        case .periodical(let period):
            guard period.end.wall < period.start.wall + Self.year else {
                throw .wrong("'start' and 'end' must be at most a year apart")
            }
        }
    }

    /// Nil when there is none any more.
    func next(after now: WallTime) -> WallTime? {
        switch self {
        case .single(let time): time.wall > now ? time.wall : nil
        case .periodical(let period): period.next(after: BeijingTime(now))?.wall
        }
    }

    var isSingle: Bool {
        if case .single = self { true } else { false }
    }
}

extension JPushTrigger.Period {
    private static let names: Set<String> = ["start", "end", "time", "time_unit", "frequency", "point"]
    private static let weekdays = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    private static let maximumFrequency = 100

    fileprivate init(_ json: [UInt8]) throws(JPushProblem) {
        let object = try JPushObject(json, Self.names, as: "periodical")
        self.start = try object.moment("start")
        self.end = try object.moment("end")
        guard self.start < self.end else { throw .wrong("'start' must be before 'end'") }
        guard let second = try object.text("time").flatMap({ BeijingTime.secondOfDay($0) }) else {
            throw .wrong("'time' must be like 07:05:00")
        }
        guard let unit = try object.text("time_unit").flatMap({ Unit(rawValue: $0.lowercased()) }) else {
            throw .wrong("'time_unit' must be day, week or month")
        }
        self.secondOfDay = second
        self.unit = unit
        self.frequency = try object.number("frequency", in: 1...Self.maximumFrequency) ?? 1
        self.points = try Self.points(object, unit)
    }

    private static func points(_ object: JPushObject, _ unit: Unit) throws(JPushProblem) -> Set<Int> {
        guard unit != .day else { return [] }
        let texts = try object.texts("point", maximum: 31)
        let points = texts.compactMap { text in unit == .week ? Self.weekday(text) : Self.dayOfMonth(text) }
        guard !points.isEmpty, points.count == texts.count else {
            throw .wrong("'point' must have days: MON to SUN of a week, 01 to 31 of a month")
        }
        return Set(points)
    }

    private static func weekday(_ text: String) -> Int? {
        self.weekdays.firstIndex(of: text.uppercased()).map { $0 + 1 }
    }

    private static func dayOfMonth(_ text: String) -> Int? {
        guard text.utf8.count == 2, let day = Int(text), (1...31).contains(day) else { return nil }
        return day
    }

    /// Day by day: there are no more than a year of them.
    fileprivate func next(after now: BeijingTime) -> BeijingTime? {
        for day in max(self.start.day, now.day)...max(self.start.day, now.day, self.end.day) where self.contains(day) {
            let time = BeijingTime(day: day, secondOfDay: self.secondOfDay)
            if time > now, time >= self.start, time <= self.end { return time }
        }
        return nil
    }

    private func contains(_ day: Int) -> Bool {
        switch self.unit {
        case .day: return (day - self.start.day) % self.frequency == 0
        case .week:
            let weeks = Self.week(of: day) - Self.week(of: self.start.day)
            return weeks % self.frequency == 0 && self.points.contains(Self.weekday(of: day))
        case .month:
            let (date, first) = (CalendarDay(day), CalendarDay(self.start.day))
            let months = (date.year - first.year) * 12 + date.month - first.month
            return months % self.frequency == 0 && self.points.contains(date.day)
        }
    }

    // The first day of all was a Thursday.
    private static func week(of day: Int) -> Int { (day + 3) / 7 }
    private static func weekday(of day: Int) -> Int { (day + 3) % 7 + 1 }
}

extension JPushObject {
    fileprivate func moment(_ name: String) throws(JPushProblem) -> BeijingTime {
        guard let time = try self.text(name).flatMap({ BeijingTime($0) }) else {
            throw .wrong("'\(name)' must be like 2026-11-23 07:05:00")
        }
        return time
    }
}
