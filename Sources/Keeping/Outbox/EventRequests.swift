internal import Conversing
package import Vocabulary

/// Something happened that another program is to hear of, in a row with all that has the same subject.
package struct NewEvent: Hashable, Sendable {
    package let place: EventPlace
    package let subject: String
    /// One JSON object.
    package let json: String

    package init(_ place: EventPlace, about subject: String, json: String) {
        self.place = place
        self.subject = subject
        self.json = json
    }

    private static let lanes: UInt64 = 1 << 20

    /// No conversation has a number below zero. Two that share one wait for each other, and that is all.
    fileprivate var lane: ConversationKey {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in self.subject.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return ConversationKey(-1 - Int64(hash % Self.lanes))
    }
}

/// Puts events into the outbox, in their order. Several nodes may try, and may repeat themselves: each event comes in once.
package struct AddEvents: StoreRequest {
    package let events: [NewEvent]
    package let time: WallTime

    package static let access = StoreAccess.writes

    /// How long a series is known after its last event.
    private static let memory = Duration.seconds(86_400)

    package init(_ events: [NewEvent], at time: WallTime) {
        self.events = events
        self.time = time
    }

    package func perform(on tables: some Tables) throws(StoreError) {
        var last: [RandomToken: UInt64] = [:]
        for event in self.events {
            let series = event.place.series
            let known = if let number = last[series] { number } else { try self.known(series, tables) }
            last[series] = max(known, event.place.number)
            guard event.place.number > known else { continue }
            try tables.insert(NewDelivery(EntryKey(event.lane, 0), event: event.json))
        }
        for (series, number) in last.sorted(by: { $0.key.text < $1.key.text }) {
            try tables.put(EventPlace(series, number), at: self.time)
        }
    }

    private func known(_ series: RandomToken, _ tables: some Tables) throws(StoreError) -> UInt64 {
        if let number = try tables.lastEvent(of: series) { return number }
        try tables.removeEventPlaces(before: self.time + (.zero - Self.memory))
        return 0
    }
}

/// How far a series of events is in the outbox; zero where none of it is.
package struct FindLastEvent: StoreRequest {
    package let series: RandomToken

    package static let access = StoreAccess.readsCommitted

    package init(of series: RandomToken) { self.series = series }

    package func perform(on tables: some Tables) throws(StoreError) -> UInt64 {
        try tables.lastEvent(of: self.series) ?? 0
    }
}
