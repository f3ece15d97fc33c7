import Keeping
import Service
import Vocabulary

/// What a program asks for by JPush's interface: a push, or one for later.
enum JPushFuzz {
    private static let now = WallTime(seconds: 1_700_000_000)

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        if input.control % 2 == 0 {
            if let request = try? JPushRequest(input.bytes) { self.check(request.audience) }
        } else {
            guard let schedule = try? JPushSchedule(input.bytes) else { return }
            self.check(schedule.request.audience)
            guard let again = try? JPushSchedule(schedule.content) else {
                return demand(false, "what was taken is not taken again")
            }
            demand(again.content == schedule.content, "it says something else when it is read again")
            guard let next = schedule.next(after: self.now) else { return }
            demand(next > self.now, "a time that has passed")
            if let later = schedule.next(after: next) { demand(later > next, "the same time again") }
        }
    }

    private static func check(_ audience: PushAudience) {
        let labels = audience.aliases + audience.tags + audience.requiredTags + audience.excludedTags
        demand(labels.count <= 1060, "too many names: \(labels.count)")
        demand(labels.allSatisfy { (try? PushLabel($0.text)) == $0 }, "a name that is not legal")
        demand(audience.registrations.count <= 1000, "too many registrations")
    }
}
