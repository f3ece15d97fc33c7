package import Vocabulary

/// Who is typing where. It clears itself: on what they say next, when they stop, and when time passes or their line
/// breaks.
///
///     still ──typing──▶ typing ──stopped / said something / line lost / time is over──▶ still
package struct TypingMachine: Sendable {
    /// One line in one conversation.
    package struct Place: Hashable, Sendable {
        package let conversation: ConversationID
        package let session: SessionID

        package init(_ conversation: ConversationID, _ session: SessionID) {
            self.conversation = conversation
            self.session = session
        }
    }

    private let typingTime: Duration
    private var deadlines: [Place: Instant] = [:]
    /// In the order of their moments, since all wait for the same time; one that was put off stays until it surfaces.
    private var queue: [(place: Place, deadline: Instant)] = []
    private var head = 0

    package init(settings: ConversationSettings = ConversationSettings()) {
        self.typingTime = settings.typingTime
    }

    package var count: Int { self.deadlines.count }
    /// When to call `clockAdvanced`, if time is all that happens. It may come too early, and then changes nothing.
    package var deadline: Instant? { self.head < self.queue.count ? self.queue[self.head].deadline : nil }

    /// True when the others have to be told.
    package mutating func typed(_ place: Place, at now: Instant) -> Bool {
        let deadline = now + self.typingTime
        self.queue.append((place, deadline))
        return self.deadlines.updateValue(deadline, forKey: place) == nil
    }

    /// True when the others have to be told.
    package mutating func stopped(_ place: Place) -> Bool { self.deadlines.removeValue(forKey: place) != nil }

    /// Everything that a line was typing.
    package mutating func lineLost(_ session: SessionID) -> [Place] {
        let places = self.deadlines.keys.filter { $0.session == session }
        for place in places { self.deadlines[place] = nil }
        return places
    }

    /// Those who have stopped without saying so.
    package mutating func clockAdvanced(to now: Instant) -> [Place] {
        var stopped: [Place] = []
        while self.head < self.queue.count, self.queue[self.head].deadline <= now {
            let (place, deadline) = self.queue[self.head]
            self.head += 1
            guard self.deadlines[place] == deadline else { continue }
            self.deadlines[place] = nil
            stopped.append(place)
        }
        self.shed()
        return stopped
    }

    private mutating func shed() {
        guard self.head == self.queue.count || self.head > 1024 else { return }
        self.queue.removeFirst(self.head)
        self.head = 0
    }
}
