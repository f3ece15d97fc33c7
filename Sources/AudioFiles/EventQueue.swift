/// Events that were understood together and are handed out one by one.
struct EventQueue<Event: Sendable>: Sendable {
    private var events: [Event] = []
    private var next = 0

    mutating func add(_ event: Event) { self.events.append(event) }

    mutating func take() -> Event? {
        guard self.next < self.events.count else {
            self.events.removeAll(keepingCapacity: true)
            self.next = 0
            return nil
        }
        defer { self.next += 1 }
        return self.events[self.next]
    }
}
