package import Conversing
package import Keeping
package import Vocabulary

private enum PushColumn: Int32, Column {
    case user, device, endpoint, publicKey, secret, language, family, since, tried, trouble
    case quietStart, quietEnd, quietOffset, quietCalls
}

extension PushDevice {
    fileprivate init(_ row: Row<PushColumn>) throws(StoreError) {
        self.init(
            try row.required(.user) { UserID($0) }, try row.required(.device) { DeviceID($0) },
            endpoint: try row.required(.endpoint, row.text(.endpoint)), publicKey: row.blob(.publicKey),
            secret: row.blob(.secret), since: row.requiredTime(.since))
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
        }
    }
}

extension SQLTables {
    private static let putDevice = "INSERT INTO push_devices \(PushColumn.replacement(of: .user, .device))"
    private static let removeOthers = "DELETE FROM push_devices WHERE endpoint = ? AND NOT (user = ? AND device = ?)"
    private static let devicesOfUser = "SELECT \(PushColumn.list()) FROM push_devices WHERE user = ? ORDER BY device"
    private static let usersWithDevices = """
        SELECT user FROM members WHERE conversation = ? AND user > ?
        AND EXISTS (SELECT 1 FROM push_devices WHERE push_devices.user = members.user) ORDER BY user LIMIT ?
        """

    package func hasPushDevices() throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM push_devices LIMIT 1")
    }

    package func pushDevices(of user: UserID) throws(StoreError) -> [PushDevice] {
        try self.connection.all(Self.devicesOfUser, [.user(user)], read: PushDevice.init)
    }

    package func put(_ device: PushDevice) throws(StoreError) {
        // An endpoint is one device's, whoever had it before.
        let values: [SQLValue] = [.text(device.endpoint), .user(device.user), .text(device.device.text)]
        try self.connection.run(Self.removeOthers, values)
        try self.connection.run(Self.putDevice, device.value(of:))
    }

    package func removePushDevice(of user: UserID, _ device: DeviceID) throws(StoreError) {
        let sql = "DELETE FROM push_devices WHERE user = ? AND device = ?"
        try self.connection.run(sql, [.user(user), .text(device.text)])
    }

    package func removePushDevice(endpoint: String) throws(StoreError) {
        try self.connection.run("DELETE FROM push_devices WHERE endpoint = ?", [.text(endpoint)])
    }

    package func removePushDevices(of user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM push_devices WHERE user = ?", [.user(user)])
    }

    package func usersWithPushDevices(
        in key: ConversationKey, after user: String, limit: Int
    ) throws(StoreError) -> [UserID] {
        try self.connection.all(Self.usersWithDevices, [.key(key), .text(user), .count(limit)]) { statement in
            statement.text(0).flatMap { UserID($0) }
        }.compactMap(\.self)
    }
}

// MARK: - What is to be pushed

extension SQLTables {
    package func insertPush(of entry: EntryKey) throws(StoreError) {
        try self.connection.run("INSERT INTO pushes (entry) VALUES (?)", [.key(entry)])
    }

    package func pushes(after number: Int64, limit: Int) throws(StoreError) -> [PushRow] {
        let sql = "SELECT number, entry FROM pushes WHERE number > ? ORDER BY number LIMIT ?"
        return try self.connection.all(sql, [.integer(number), .count(limit)]) { statement in
            PushRow(statement.integer(0), EntryKey(packed: statement.integer(1)))
        }
    }

    package func removePush(_ number: Int64) throws(StoreError) {
        try self.connection.run("DELETE FROM pushes WHERE number = ?", [.integer(number)])
    }

    package func removePushes(of key: ConversationKey, through entry: UInt64) throws(StoreError) {
        try self.connection.run("DELETE FROM pushes WHERE entry BETWEEN ? AND ?", SQLValue.keys(key, through: entry))
    }
}
