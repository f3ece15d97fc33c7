package import Vocabulary

/// Writes down what happened to pushes, and what became of the latest one of each device.
package struct NotePushEvents: StoreRequest {
    package let events: [PushEvent]

    /// So many are kept, the latest.
    package static let maximumKept: Int64 = 100_000
    package static let access = StoreAccess.writes

    package init(_ events: [PushEvent]) { self.events = events }

    package func perform(on tables: some Tables) throws(StoreError) {
        var number = try tables.latestPushEventNumber() ?? 0
        for event in self.events {
            number += 1
            try tables.insert(event, as: number)
            try self.noteOutcome(event, tables)
            try self.noteReceipt(event, tables)
        }
        try tables.removePushEvents(through: number - Self.maximumKept)
    }

    private func noteOutcome(_ event: PushEvent, _ tables: some Tables) throws(StoreError) {
        switch event.kind {
        case .accepted, .failed, .refused: break
        case .held, .delivered, .silenced, .queued, .sent, .gone, .expired, .replaced, .withdrawn, .received,
            .clicked:
            return
        }
        guard let device = event.device else { return }
        try tables.note(PushDevice.Outcome(at: event.time, trouble: event.reason), of: event.user, device)
    }
}

extension NotePushEvents {
    /// What programs on other servers said is followed for longer than anything else.
    private func noteReceipt(_ event: PushEvent, _ tables: some Tables) throws(StoreError) {
        guard event.subject.kind == .announcement, let number = event.subject.place.flatMap({ Int64($0) }),
            let device = event.device, var receipt = try tables.receipt(of: number, on: device, of: event.user)
        else { return }
        switch event.kind {
        case .clicked: receipt.isClicked = true
        // The device may say it before the push service does.
        case .accepted where receipt.event == .received: return
        default: receipt.event = event.kind
        }
        try tables.put(receipt, of: number)
    }
}

/// The latest, in the order in which they happened: of one user, or of all; about one conversation, message or call, or any.
package struct ListPushEvents: StoreRequest {
    package let user: UserID?
    package let place: String?
    package let entry: UInt64?
    package let limit: Int

    package static let maximumLimit = 1000
    package static let access = StoreAccess.readsCommitted

    package init(of user: UserID?, in place: String? = nil, entry: UInt64? = nil, limit: Int) {
        self.user = user
        self.place = place
        self.entry = entry
        self.limit = min(max(limit, 0), Self.maximumLimit)
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushEvent] {
        try tables.pushEvents(of: self.user, in: self.place, entry: self.entry, limit: self.limit).reversed()
    }
}

/// A device's program says that a push came, or that its user chose the notification. False of a push that they never got;
/// said twice it is true once.
package struct NotePushWord: StoreRequest {
    package enum Word: String, Hashable, Sendable, CaseIterable { case received, clicked }

    package let word: Word
    package let push: RandomToken
    package let user: UserID
    package let device: DeviceID?
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ word: Word, _ push: RandomToken, by user: UserID, on device: DeviceID?, at now: WallTime) {
        self.word = word
        self.push = push
        self.user = user
        self.device = device
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        let events = try tables.pushEvents(of: self.push, for: self.user)
        guard let event = events.first(where: self.concerns) else { return false }
        guard !events.contains(where: { $0.kind == self.kind && self.concerns($0) }) else { return true }
        let said = PushEvent(
            self.kind, of: self.push, for: self.user, on: self.device, about: event.subject, at: self.now)
        try NotePushEvents([said]).perform(on: tables)
        return true
    }

    private var kind: PushEvent.Kind {
        switch self.word {
        case .received: .received
        case .clicked: .clicked
        }
    }

    /// It comes to each device, and is chosen once.
    private func concerns(_ event: PushEvent) -> Bool {
        switch self.word {
        case .received: event.device == self.device
        case .clicked: true
        }
    }
}

package struct ForgetPushEvents: StoreRequest {
    package let time: WallTime

    package static let access = StoreAccess.writes

    package init(before time: WallTime) { self.time = time }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.removePushEvents(before: self.time) }
}
