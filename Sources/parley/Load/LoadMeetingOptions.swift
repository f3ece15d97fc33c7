import Arguments
import Load

/// Who watches whom, and who sits in rooms.
struct LoadMeetingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Each user watches whether so many others are there.", valueName: "NUMBER"))
    var watch = 0

    @Option(help: ArgumentHelp("So many users a second leave and come again.", valueName: "RATE"))
    var turnover = 0.0

    @Option(help: ArgumentHelp("Users join rooms of so many.", valueName: "NUMBER"))
    var roomSize = 0

    @Option(help: ArgumentHelp("Signals a second, each to all others of a room.", valueName: "RATE"))
    var signals = 0.0

    func validate() throws(ValidationError) {
        try LoadCommand.check(
            ("watch", Double(self.watch)), ("turnover", self.turnover), ("room-size", Double(self.roomSize)),
            ("signals", self.signals))
    }

    func write(to plan: inout LoadPlan) {
        (plan.watched, plan.turnover) = (self.watch, self.turnover)
        (plan.roomSize, plan.signals) = (self.roomSize, self.signals)
    }
}

extension LoadCommand {
    /// None of these may be negative.
    static func check(_ amounts: (name: String, value: Double)...) throws(ValidationError) {
        for amount in amounts where !(amount.value >= 0) {
            throw ValidationError("--\(amount.name) must not be negative")
        }
    }
}
