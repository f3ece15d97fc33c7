import Vocabulary

/// Members in the order they came, found by their session in one step.
///
/// A place that is left stays empty until half of them are, so that leaving costs the same in a room of any size.
struct JoinOrder: Sendable {
    private var places: [RoomMember?] = []
    private var placeOf: [SessionID: Int] = [:]

    var count: Int { self.placeOf.count }

    var eldest: RoomMember? { self.first { _ in true } }

    subscript(session: SessionID) -> RoomMember? {
        guard let place = self.placeOf[session] else { return nil }
        return self.places[place]
    }

    /// Puts a new member behind the others, or changes one in place.
    mutating func put(_ member: RoomMember) {
        if let place = self.placeOf[member.session] {
            self.places[place] = member
        } else {
            self.placeOf[member.session] = self.places.count
            self.places.append(member)
        }
    }

    mutating func remove(_ session: SessionID) {
        guard let place = self.placeOf.removeValue(forKey: session) else { return }
        self.places[place] = nil
        if self.places.count > 2 * self.count + 16 { self.closeRanks() }
    }

    private mutating func closeRanks() {
        self.places.removeAll { $0 == nil }
        for (place, member) in self.places.enumerated() {
            if let member { self.placeOf[member.session] = place }
        }
    }
}

extension JoinOrder: Sequence {
    func makeIterator() -> some IteratorProtocol<RoomMember> {
        self.places.lazy.compactMap(\.self).makeIterator()
    }

    func forEach(_ body: (RoomMember) -> Void) {
        for place in self.places {
            if let member = place { body(member) }
        }
    }
}
