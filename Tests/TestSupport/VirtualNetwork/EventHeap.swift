/// What happens when: events of 24 bytes, the earliest on top. Equal moments come up in the order they were added.
struct EventHeap {
    enum Kind: UInt8 {
        /// A packet comes out at the far end of a link.
        case packet
        case alarm
        case call
    }

    struct Event {
        let nanoseconds: Int64
        fileprivate let order: UInt64
        let index: Int32
        let kind: Kind

        fileprivate func precedes(_ other: Event) -> Bool {
            self.nanoseconds == other.nanoseconds ? self.order < other.order : self.nanoseconds < other.nanoseconds
        }
    }

    private var events: [Event] = []
    private var nextOrder: UInt64 = 0

    var isEmpty: Bool { self.events.isEmpty }
    var first: Event? { self.events.first }

    mutating func add(_ kind: Kind, _ index: Int32, at nanoseconds: Int64) {
        let event = Event(nanoseconds: nanoseconds, order: self.nextOrder, index: index, kind: kind)
        self.nextOrder += 1
        self.events.append(event)
        var hole = self.events.count - 1
        while hole > 0, case let parent = (hole - 1) / 2, event.precedes(self.events[parent]) {
            self.events[hole] = self.events[parent]
            hole = parent
        }
        self.events[hole] = event
    }

    mutating func removeFirst() {
        let last = self.events.removeLast()
        guard !self.events.isEmpty else { return }
        var hole = 0
        while case var child = 2 * hole + 1, child < self.events.count {
            if child + 1 < self.events.count, self.events[child + 1].precedes(self.events[child]) { child += 1 }
            guard self.events[child].precedes(last) else { break }
            self.events[hole] = self.events[child]
            hole = child
        }
        self.events[hole] = last
    }
}
