package import Keeping
package import Vocabulary

private enum AnnouncementColumn: Int, Column {
    case number, push, source, name, topic, content, created, expiry, schedule, next
}

extension Announcement {
    fileprivate init(_ row: Row<AnnouncementColumn>) throws(StoreError) {
        self.init(
            row.integer(.number), push: try row.required(.push) { RandomToken($0) },
            from: try row.required(.source, row.text(.source)), name: row.text(.name),
            topic: try row.required(.topic, row.text(.topic)), row.blob(.content), created: row.requiredTime(.created),
            expiry: row.requiredTime(.expiry), schedule: row.text(.schedule), next: row.text(.next))
    }

    fileprivate func value(of column: AnnouncementColumn) -> SQLValue {
        switch column {
        case .number: .integer(self.number)
        case .push: .text(self.push.text)
        case .source: .text(self.source)
        case .name: .text(self.name)
        case .topic: .text(self.topic)
        case .content: .blob(self.content)
        case .created: .time(self.created)
        case .expiry: .time(self.expiry)
        case .schedule: .text(self.schedule)
        case .next: .text(self.next)
        }
    }
}

extension SQLTables {
    private static let announcementRows = "SELECT \(AnnouncementColumn.list()) FROM announcements"
    private static let putAnnouncement = """
        INSERT INTO announcements \(AnnouncementColumn.insertion) ON CONFLICT (number) DO UPDATE SET next = excluded.next
        """
    private static let removeReceipts = """
        DELETE FROM announcement_receipts WHERE announcement IN (SELECT number FROM announcements WHERE created < ?)
        """

    package func announcement(_ number: Int64) throws(StoreError) -> Announcement? {
        let sql = "\(Self.announcementRows) WHERE number = ?"
        return try self.connection.first(sql, [.integer(number)], read: Announcement.init)
    }

    package func announcement(named name: String, from source: String) throws(StoreError) -> Announcement? {
        let sql = "\(Self.announcementRows) WHERE source = ? AND name = ? ORDER BY number DESC LIMIT 1"
        return try self.connection.first(sql, [.text(source), .text(name)], read: Announcement.init)
    }

    package func latestAnnouncementNumber() throws(StoreError) -> Int64? {
        try self.connection.number("SELECT max(number) FROM announcements")
    }

    package func announcementsUnderWay(after number: Int64, limit: Int) throws(StoreError) -> [Announcement] {
        let sql = "\(Self.announcementRows) WHERE next IS NOT NULL AND number > ? ORDER BY number LIMIT ?"
        return try self.connection.all(sql, [.integer(number), .count(limit)], read: Announcement.init)
    }

    package func announcements(of schedule: String, limit: Int) throws(StoreError) -> [Int64] {
        let sql = "SELECT number FROM announcements WHERE schedule = ? ORDER BY number DESC LIMIT ?"
        return try self.connection.all(sql, [.text(schedule), .count(limit)]) { $0.integer(0) }
    }

    package func put(_ announcement: Announcement) throws(StoreError) {
        try self.connection.run(Self.putAnnouncement, announcement.value(of:))
    }

    package func removeAnnouncements(before time: WallTime) throws(StoreError) {
        try self.connection.run(Self.removeReceipts, [.time(time)])
        try self.connection.run("DELETE FROM announcements WHERE created < ?", [.time(time)])
    }
}

// MARK: - What became of them

private enum ReceiptColumn: Int, Column {
    case announcement, user, device, registration, platform, event, isOpen, isClicked
}

extension AnnouncementReceipt {
    fileprivate init(_ row: Row<ReceiptColumn>) throws(StoreError) {
        self.init(
            try row.required(.registration) { RegistrationID($0) }, try row.required(.user) { UserID($0) },
            try row.required(.device) { DeviceID($0) }, platform: try row.required(.platform, row.text(.platform)),
            event: try row.required(.event) { PushEvent.Kind(rawValue: $0) },
            isClicked: row.integer(.isClicked) != 0)
    }

    fileprivate func value(of column: ReceiptColumn, _ number: Int64) -> SQLValue {
        switch column {
        case .announcement: .integer(number)
        case .user: .user(self.user)
        case .device: .text(self.device.text)
        case .registration: .text(self.registration.text)
        case .platform: .text(self.platform)
        case .event: .text(self.event.rawValue)
        case .isOpen: .flag(self.isOpen)
        case .isClicked: .flag(self.isClicked)
        }
    }
}

extension AnnouncementCount {
    fileprivate init?(_ row: any SQLRow) {
        guard let platform = row.text(0), let event = row.text(1).flatMap({ PushEvent.Kind(rawValue: $0) })
        else { return nil }
        self.init(
            platform: platform, event: event, devices: Int(clamping: row.integer(2)),
            clicked: Int(clamping: row.integer(3)))
    }
}

extension SQLTables {
    private static let receiptRows = "SELECT \(ReceiptColumn.list()) FROM announcement_receipts"
    private static let putReceipt =
        "INSERT INTO announcement_receipts \(ReceiptColumn.replacement(of: .announcement, .user, .device))"
    private static let openReceipts = """
        SELECT announcement, registration FROM announcement_receipts
        WHERE is_open = 1 AND (announcement, registration) > (?, ?) ORDER BY announcement, registration LIMIT ?
        """
    private static let receiptCounts = """
        SELECT platform, event, count(*), CAST(sum(is_clicked) AS BIGINT) FROM announcement_receipts
        WHERE announcement = ? GROUP BY platform, event ORDER BY platform, event
        """

    package func receipt(of number: Int64, _ registration: RegistrationID) throws(StoreError) -> AnnouncementReceipt? {
        let sql = "\(Self.receiptRows) WHERE announcement = ? AND registration = ?"
        return try self.connection.first(
            sql, [.integer(number), .text(registration.text)], read: AnnouncementReceipt.init)
    }

    package func receipt(
        of number: Int64, on device: DeviceID, of user: UserID
    ) throws(StoreError) -> AnnouncementReceipt? {
        let sql = "\(Self.receiptRows) WHERE announcement = ? AND user = ? AND device = ?"
        let values: [SQLValue] = [.integer(number), .user(user), .text(device.text)]
        return try self.connection.first(sql, values, read: AnnouncementReceipt.init)
    }

    package func receipts(
        of number: Int64, after registration: String, limit: Int
    ) throws(StoreError) -> [AnnouncementReceipt] {
        let sql = "\(Self.receiptRows) WHERE announcement = ? AND registration > ? ORDER BY registration LIMIT ?"
        let values: [SQLValue] = [.integer(number), .text(registration), .count(limit)]
        return try self.connection.all(sql, values, read: AnnouncementReceipt.init)
    }

    package func openReceipts(
        after place: ListOpenReceipts.Place, limit: Int
    ) throws(StoreError) -> [ListOpenReceipts.Place] {
        let values: [SQLValue] = [.integer(place.number), .text(place.registration), .count(limit)]
        return try self.connection.all(Self.openReceipts, values) { statement in
            ListOpenReceipts.Place(statement.integer(0), statement.text(1) ?? "")
        }
    }

    package func receiptCounts(of number: Int64) throws(StoreError) -> [AnnouncementCount] {
        try self.connection.all(Self.receiptCounts, [.integer(number)]) { AnnouncementCount($0) }.compactMap(\.self)
    }

    package func put(_ receipt: AnnouncementReceipt, of number: Int64) throws(StoreError) {
        try self.connection.run(Self.putReceipt) { receipt.value(of: $0, number) }
    }

    package func removeReceipts(of user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM announcement_receipts WHERE user = ?", [.user(user)])
    }
}

// MARK: - What is said later

private enum ScheduleColumn: Int, Column {
    case id, source, content, next, created
}

extension PushSchedule {
    fileprivate init(_ row: Row<ScheduleColumn>) throws(StoreError) {
        self.init(
            try row.required(.id, row.text(.id)), from: try row.required(.source, row.text(.source)),
            row.blob(.content), next: row.time(.next), created: row.requiredTime(.created))
    }

    fileprivate func value(of column: ScheduleColumn) -> SQLValue {
        switch column {
        case .id: .text(self.id)
        case .source: .text(self.source)
        case .content: .blob(self.content)
        case .next: .time(self.next)
        case .created: .time(self.created)
        }
    }
}

extension SQLTables {
    private static let scheduleRows = "SELECT \(ScheduleColumn.list()) FROM push_schedules"
    private static let putSchedule = "INSERT INTO push_schedules \(ScheduleColumn.replacement(of: .id))"

    package func pushSchedule(_ id: String) throws(StoreError) -> PushSchedule? {
        try self.connection.first("\(Self.scheduleRows) WHERE id = ?", [.text(id)], read: PushSchedule.init)
    }

    package func pushSchedules(of source: String) throws(StoreError) -> [PushSchedule] {
        let sql = "\(Self.scheduleRows) WHERE source = ? ORDER BY created, id"
        return try self.connection.all(sql, [.text(source)], read: PushSchedule.init)
    }

    package func nextPushSchedule() throws(StoreError) -> PushSchedule? {
        let sql = "\(Self.scheduleRows) WHERE next IS NOT NULL ORDER BY next, id LIMIT 1"
        return try self.connection.first(sql, [], read: PushSchedule.init)
    }

    package func put(_ schedule: PushSchedule) throws(StoreError) {
        try self.connection.run(Self.putSchedule, schedule.value(of:))
    }

    package func removePushSchedule(_ id: String) throws(StoreError) {
        try self.connection.run("DELETE FROM push_schedules WHERE id = ?", [.text(id)])
    }
}
