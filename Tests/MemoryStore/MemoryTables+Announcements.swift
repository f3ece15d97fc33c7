import Keeping
import Vocabulary

extension MemoryTables {
    func announcement(_ number: Int64) throws(StoreError) -> Announcement? {
        try self.read { $0.announcements[number] }
    }

    func announcement(named name: String, from source: String) throws(StoreError) -> Announcement? {
        try self.read { rows in
            rows.announcements.values.filter { $0.name == name && $0.source == source }.max { $0.number < $1.number }
        }
    }

    func latestAnnouncementNumber() throws(StoreError) -> Int64? { try self.read { $0.announcements.keys.max() } }

    func announcementsUnderWay(after number: Int64, limit: Int) throws(StoreError) -> [Announcement] {
        try self.read { rows in
            let found = rows.announcements.values.filter { $0.next != nil && $0.number > number }
            return Array(found.sorted { $0.number < $1.number }.prefix(limit))
        }
    }

    func announcements(of schedule: String, limit: Int) throws(StoreError) -> [Int64] {
        try self.read { rows in
            let found = rows.announcements.values.filter { $0.schedule == schedule }
            return Array(found.map(\.number).sorted(by: >).prefix(limit))
        }
    }

    func put(_ announcement: Announcement) throws(StoreError) {
        self.rows.announcements[announcement.number] = announcement
    }

    func removeAnnouncements(before time: WallTime) throws(StoreError) {
        for (number, announcement) in self.rows.announcements where announcement.created < time {
            self.rows.announcements[number] = nil
            self.rows.receipts[number] = nil
        }
    }
}

extension MemoryTables {
    func receipt(of number: Int64, _ registration: RegistrationID) throws(StoreError) -> AnnouncementReceipt? {
        try self.read { $0.receipts[number]?.values.first { $0.registration == registration } }
    }

    func receipt(
        of number: Int64, on device: DeviceID, of user: UserID
    ) throws(StoreError) -> AnnouncementReceipt? {
        try self.read { $0.receipts[number]?[MemoryRows.Device(user: user, device: device)] }
    }

    func receipts(
        of number: Int64, after registration: String, limit: Int
    ) throws(StoreError) -> [AnnouncementReceipt] {
        try self.read { rows in
            let found = (rows.receipts[number] ?? [:]).values.filter { $0.registration.text > registration }
            return Array(found.sorted { $0.registration.text < $1.registration.text }.prefix(limit))
        }
    }

    func openReceipts(
        after place: ListOpenReceipts.Place, limit: Int
    ) throws(StoreError) -> [ListOpenReceipts.Place] {
        try self.read { rows in
            let open = rows.receipts.flatMap { number, receipts in
                receipts.values.filter(\.isOpen).map { ListOpenReceipts.Place(number, $0.registration.text) }
            }
            let found = open.filter { ($0.number, $0.registration) > (place.number, place.registration) }
            let sorted = found.sorted { ($0.number, $0.registration) < ($1.number, $1.registration) }
            return Array(sorted.prefix(limit))
        }
    }

    func receiptCounts(of number: Int64) throws(StoreError) -> [AnnouncementCount] {
        try self.read { rows in
            let groups = Dictionary(grouping: (rows.receipts[number] ?? [:]).values) { receipt in
                [receipt.platform, receipt.event.rawValue]
            }
            return groups.sorted { ($0.key[0], $0.key[1]) < ($1.key[0], $1.key[1]) }.compactMap { _, receipts in
                receipts.first.map { first in
                    AnnouncementCount(
                        platform: first.platform, event: first.event, devices: receipts.count,
                        clicked: receipts.count(where: \.isClicked))
                }
            }
        }
    }

    func put(_ receipt: AnnouncementReceipt, of number: Int64) throws(StoreError) {
        let device = MemoryRows.Device(user: receipt.user, device: receipt.device)
        self.rows.receipts[number, default: [:]][device] = receipt
    }

    func removeReceipts(of user: UserID) throws(StoreError) {
        for number in self.rows.receipts.keys {
            self.rows.receipts[number] = self.rows.receipts[number]?.filter { $0.key.user != user }
        }
    }
}

extension MemoryTables {
    func pushSchedule(_ id: String) throws(StoreError) -> PushSchedule? { try self.read { $0.pushSchedules[id] } }

    func pushSchedules(of source: String) throws(StoreError) -> [PushSchedule] {
        try self.read { rows in
            rows.pushSchedules.values.filter { $0.source == source }
                .sorted { ($0.created, $0.id) < ($1.created, $1.id) }
        }
    }

    func nextPushSchedule() throws(StoreError) -> PushSchedule? {
        try self.read { rows in
            let waiting = rows.pushSchedules.values.compactMap { schedule in
                schedule.next.map { (next: $0, schedule: schedule) }
            }
            return waiting.min { ($0.next, $0.schedule.id) < ($1.next, $1.schedule.id) }?.schedule
        }
    }

    func put(_ schedule: PushSchedule) throws(StoreError) { self.rows.pushSchedules[schedule.id] = schedule }

    func removePushSchedule(_ id: String) throws(StoreError) { self.rows.pushSchedules[id] = nil }
}
