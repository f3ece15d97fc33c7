package import Conversing
package import Keeping
package import Vocabulary

private enum PushColumn: Int, Column {
    case user, device, endpoint, publicKey, secret, language, family, since, tried, trouble
    case quietStart, quietEnd, quietOffset, quietCalls, registration, alias, mobile
}

extension PushDevice {
    fileprivate init(_ row: Row<PushColumn>) throws(StoreError) {
        self.init(
            try row.required(.user) { UserID($0) }, try row.required(.device) { DeviceID($0) },
            endpoint: try row.required(.endpoint, row.text(.endpoint)), publicKey: row.blob(.publicKey),
            secret: row.blob(.secret), since: row.requiredTime(.since),
            // One of an older version gets its own with the next push.
            registration: row.text(.registration).flatMap { RegistrationID($0) } ?? .fresh())
        self.alias = row.text(.alias).flatMap { try? PushLabel($0) }
        self.mobile = row.text(.mobile)
        self.language = row.text(.language)
        self.family = row.text(.family).flatMap { RandomToken($0) }
        self.outcome = row.time(.tried).map { Outcome(at: $0, trouble: row.text(.trouble)) }
        guard !row.isNull(.quietStart) else { return }
        self.quiet = QuietHours(
            from: row.count(.quietStart), to: row.count(.quietEnd), offset: Int(clamping: row.integer(.quietOffset)),
            letsCallsThrough: row.integer(.quietCalls) != 0)
    }

    fileprivate func value(of column: PushColumn) -> SQLValue {
        switch column {
        case .user: .user(self.user)
        case .device: .text(self.device.text)
        case .endpoint: .text(self.endpoint)
        case .publicKey: .blob(self.publicKey)
        case .secret: .blob(self.secret)
        case .language: .text(self.language)
        case .family: .text(self.family?.text)
        case .since: .time(self.since)
        case .tried: .time(self.outcome?.time)
        case .trouble: .text(self.outcome?.trouble)
        case .quietStart: .length(self.quiet?.start)
        case .quietEnd: .length(self.quiet?.end)
        case .quietOffset: .length(self.quiet?.offset)
        case .quietCalls: self.quiet.map { .flag($0.letsCallsThrough) } ?? .null
        case .registration: .text(self.registration.text)
        case .alias: .text(self.alias?.text)
        case .mobile: .text(self.mobile)
        }
    }
}

extension SQLTables {
    private static let putDevice = "INSERT INTO push_devices \(PushColumn.replacement(of: .user, .device))"
    private static let devicesOfUser = "SELECT \(PushColumn.list()) FROM push_devices WHERE user = ? ORDER BY device"
    private static let usersWithDevices = """
        SELECT user FROM members WHERE conversation = ? AND user > ?
        AND EXISTS (SELECT 1 FROM push_devices WHERE push_devices.user = members.user) ORDER BY user LIMIT ?
        """

    package func pushDevices(of user: UserID) throws(StoreError) -> [PushDevice] {
        try self.connection.all(Self.devicesOfUser, [.user(user)], read: PushDevice.init)
    }

    package func put(_ device: PushDevice) throws(StoreError) {
        // An endpoint is one device's, whoever had it before.
        let values: [SQLValue] = [.text(device.endpoint), .user(device.user), .text(device.device.text)]
        try self.removePushDevices("endpoint = ? AND NOT (user = ? AND device = ?)", values)
        try self.connection.run(Self.putDevice, device.value(of:))
    }

    package func note(_ outcome: PushDevice.Outcome, of user: UserID, _ device: DeviceID) throws(StoreError) {
        let values: [SQLValue] = [.time(outcome.time), .text(outcome.trouble), .user(user), .text(device.text)]
        try self.connection.run("UPDATE push_devices SET tried = ?, trouble = ? WHERE user = ? AND device = ?", values)
    }

    package func removePushDevice(of user: UserID, _ device: DeviceID) throws(StoreError) {
        try self.removePushDevices("user = ? AND device = ?", [.user(user), .text(device.text)])
    }

    package func removePushDevice(endpoint: String) throws(StoreError) {
        try self.removePushDevices("endpoint = ?", [.text(endpoint)])
    }

    package func removePushDevices(of user: UserID) throws(StoreError) {
        try self.removePushDevices("user = ?", [.user(user)])
    }

    /// A device's tags go with it.
    func removePushDevices(_ condition: String, _ values: [SQLValue]) throws(StoreError) {
        let theirs = "registration IN (SELECT registration FROM push_devices WHERE \(condition))"
        try self.connection.run("DELETE FROM push_tags WHERE \(theirs)", values)
        try self.connection.run("DELETE FROM push_devices WHERE \(condition)", values)
    }

    package func usersWithPushDevices(
        in key: ConversationKey, after user: String, limit: Int
    ) throws(StoreError) -> [UserID] {
        try self.connection.all(Self.usersWithDevices, [.key(key), .text(user), .count(limit)]) { statement in
            statement.text(0).flatMap { UserID($0) }
        }.compactMap(\.self)
    }
}

// MARK: - What devices are found by

extension SQLTables {
    private static let deviceRows = "SELECT \(PushColumn.list()) FROM push_devices"
    private static let devicesWithTag = """
        SELECT \(PushColumn.list(of: "push_devices")) FROM push_tags JOIN push_devices ON push_devices.registration = push_tags.registration
        WHERE tag = ? AND push_tags.registration > ? ORDER BY push_tags.registration LIMIT ?
        """

    package func pushDevice(_ registration: RegistrationID) throws(StoreError) -> PushDevice? {
        let sql = "\(Self.deviceRows) WHERE registration = ?"
        return try self.connection.first(sql, [.text(registration.text)], read: PushDevice.init)
    }

    package func pushDevices(named alias: PushLabel) throws(StoreError) -> [PushDevice] {
        let sql = "\(Self.deviceRows) WHERE alias = ? ORDER BY registration"
        return try self.connection.all(sql, [.text(alias.text)], read: PushDevice.init)
    }

    package func pushDevices(
        tagged tag: PushLabel?, after registration: String, limit: Int
    ) throws(StoreError) -> [PushDevice] {
        let place: [SQLValue] = [.text(registration), .count(limit)]
        guard let tag else {
            let sql = "\(Self.deviceRows) WHERE registration > ? ORDER BY registration LIMIT ?"
            return try self.connection.all(sql, place, read: PushDevice.init)
        }
        return try self.connection.all(Self.devicesWithTag, [.text(tag.text)] + place, read: PushDevice.init)
    }

    package func pushTags(of registration: RegistrationID) throws(StoreError) -> [PushLabel] {
        try self.tags("SELECT tag FROM push_tags WHERE registration = ? ORDER BY tag", [.text(registration.text)])
    }

    package func pushTags(limit: Int) throws(StoreError) -> [PushLabel] {
        try self.tags("SELECT DISTINCT tag FROM push_tags ORDER BY tag LIMIT ?", [.count(limit)])
    }

    private func tags(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [PushLabel] {
        try self.connection.all(sql, values) { statement in
            statement.text(0).flatMap { try? PushLabel($0) }
        }.compactMap(\.self)
    }

    package func insertPushTag(_ tag: PushLabel, of registration: RegistrationID) throws(StoreError) {
        let sql = "INSERT INTO push_tags (tag, registration) VALUES (?, ?) ON CONFLICT DO NOTHING"
        try self.connection.run(sql, [.text(tag.text), .text(registration.text)])
    }

    package func removePushTag(_ tag: PushLabel, of registration: RegistrationID) throws(StoreError) {
        let sql = "DELETE FROM push_tags WHERE tag = ? AND registration = ?"
        try self.connection.run(sql, [.text(tag.text), .text(registration.text)])
    }

    package func removePushTag(_ tag: PushLabel) throws(StoreError) {
        try self.connection.run("DELETE FROM push_tags WHERE tag = ?", [.text(tag.text)])
    }
}

// MARK: - What is to be pushed

extension SQLTables {
    package func insertPush(of entry: EntryKey) throws(StoreError) {
        let sql = "INSERT INTO pushes (entry) SELECT ? WHERE EXISTS (SELECT 1 FROM push_devices)"
        try self.connection.run(sql, [.key(entry)])
    }

    package func pushes(after number: Int64, limit: Int) throws(StoreError) -> [PushRow] {
        let sql = "SELECT number, entry FROM pushes WHERE number > ? ORDER BY number LIMIT ?"
        return try self.connection.all(sql, [.integer(number), .count(limit)], Self.push)
    }

    package func pushes(numbered ranges: [ClosedRange<Int64>], limit: Int) throws(StoreError) -> [PushRow] {
        let sql = "SELECT number, entry FROM pushes WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
        return try self.connection.allOfEach(sql, SQLValue.ranges(ranges, limit: limit), Self.push)
    }

    private static func push(_ row: any SQLRow) -> PushRow {
        PushRow(row.integer(0), EntryKey(packed: row.integer(1)))
    }

    package func removePush(_ number: Int64) throws(StoreError) {
        try self.connection.run("DELETE FROM pushes WHERE number = ?", [.integer(number)])
    }

    package func removePushes(of key: ConversationKey, through entry: UInt64) throws(StoreError) {
        try self.connection.run("DELETE FROM pushes WHERE entry BETWEEN ? AND ?", SQLValue.keys(key, through: entry))
    }
}
