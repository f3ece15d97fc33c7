/// What devices were told of and their users have not read since: a bounded number of conversations, the oldest are
/// forgotten.
package struct UnreadPushes<Place: Hashable & Sendable, Device: Hashable & Sendable>: Sendable {
    package struct Mark: Hashable, Sendable {
        /// The latest message that was pushed.
        package fileprivate(set) var number: UInt64
        /// How many of its messages were pushed.
        package fileprivate(set) var count: Int
    }

    private let maximumPlaces: Int
    private var marks: [Place: [Device: Mark]] = [:]
    /// A ring: the oldest gives its place to the newest. What was read meanwhile stands here until then, too.
    private var places: [Place] = []
    private var oldest = 0

    package init(maximumPlaces: Int) { self.maximumPlaces = maximumPlaces }

    package subscript(place: Place, device: Device) -> Mark? { self.marks[place]?[device] }

    package mutating func pushed(_ number: UInt64, of place: Place, to device: Device) {
        if self.marks[place] == nil { self.insert(place) }
        let old = self.marks[place]?[device]
        self.marks[place, default: [:]][device] = Mark(
            number: max(number, old?.number ?? 0), count: (old?.count ?? 0) + 1)
    }

    /// Those that were told of nothing behind `number`, and are not told of it again.
    package mutating func read(_ place: Place, through number: UInt64) -> [Device: Mark] {
        guard let marks = self.marks[place] else { return [:] }
        let done = marks.filter { $0.value.number <= number }
        let others = marks.filter { $0.value.number > number }
        self.marks[place] = others.isEmpty ? nil : others
        return done
    }

    private mutating func insert(_ place: Place) {
        guard self.places.count == self.maximumPlaces else { return self.places.append(place) }
        self.marks[self.places[self.oldest]] = nil
        self.places[self.oldest] = place
        self.oldest = (self.oldest + 1) % self.maximumPlaces
    }
}
