package import Vocabulary

/// False where the program has as many that wait, or as many at all, as it may.
package struct PutPushSchedule: StoreRequest {
    package let schedule: PushSchedule

    package static let maximumWaiting = 100
    package static let maximum = 1000
    package static let access = StoreAccess.writes

    package init(_ schedule: PushSchedule) { self.schedule = schedule }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        let others = try tables.pushSchedules(of: self.schedule.source).filter { $0.id != self.schedule.id }
        guard others.count < Self.maximum else { return false }
        if self.schedule.next != nil {
            guard others.count(where: { $0.next != nil }) < Self.maximumWaiting else { return false }
        }
        try tables.put(self.schedule)
        return true
    }
}

package struct FindPushSchedule: StoreRequest {
    package let id: String
    package let source: String

    package static let access = StoreAccess.reads

    package init(_ id: String, of source: String) {
        self.id = id
        self.source = source
    }

    package func perform(on tables: some Tables) throws(StoreError) -> PushSchedule? {
        guard let found = try tables.pushSchedule(self.id), found.source == self.source else { return nil }
        return found
    }
}

/// The youngest first.
package struct ListPushSchedules: StoreRequest {
    package let source: String

    package static let access = StoreAccess.reads

    package init(of source: String) { self.source = source }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushSchedule] {
        try tables.pushSchedules(of: self.source).sorted { ($0.created, $0.id) > ($1.created, $1.id) }
    }
}

/// Whether it was there.
package struct RemovePushSchedule: StoreRequest {
    package let id: String
    package let source: String

    package static let access = StoreAccess.writes

    package init(_ id: String, of source: String) {
        self.id = id
        self.source = source
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard try tables.pushSchedule(self.id)?.source == self.source else { return false }
        try tables.removePushSchedule(self.id)
        return true
    }
}

/// The one that is announced first.
package struct FindNextPushSchedule: StoreRequest {
    package static let access = StoreAccess.reads

    package init() {}

    package func perform(on tables: some Tables) throws(StoreError) -> PushSchedule? { try tables.nextPushSchedule() }
}

/// The time of a schedule has come: what it announces is written down, and when it does so again, in one commit. Nil where
/// it is another one by now.
package struct FirePushSchedule: StoreRequest {
    package let schedule: PushSchedule
    /// When it is due again.
    package let next: WallTime?
    /// Nil where its time has passed without anybody who could announce it.
    package let announcement: MakeAnnouncement?

    package static let access = StoreAccess.writes

    package init(_ schedule: PushSchedule, next: WallTime?, _ announcement: MakeAnnouncement?) {
        self.schedule = schedule
        self.next = next
        self.announcement = announcement
    }

    package func perform(on tables: some Tables) throws(StoreError) -> MakeAnnouncement.Made? {
        guard var kept = try tables.pushSchedule(self.schedule.id), kept == self.schedule else { return nil }
        kept.next = self.next
        try tables.put(kept)
        return try self.announcement?.perform(on: tables)
    }
}

/// The numbers of what was announced by a schedule, the latest first.
package struct ListAnnouncementsOfSchedule: StoreRequest {
    package let schedule: String
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(_ schedule: String, limit: Int) {
        self.schedule = schedule
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [Int64] {
        try tables.announcements(of: self.schedule, limit: self.limit)
    }
}
