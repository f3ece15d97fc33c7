import Conversing
import Keeping
import Vocabulary

extension MemoryTables {
    func pushDevices(of user: UserID) throws(StoreError) -> [PushDevice] {
        try self.read { rows in
            rows.pushDevices.filter { $0.user == user }.sorted { $0.device.text < $1.device.text }
        }
    }

    func put(_ device: PushDevice) throws(StoreError) {
        self.rows.pushDevices.removeAll { $0.user == device.user && $0.device == device.device }
        self.rows.pushDevices.append(device)
    }

    func note(_ outcome: PushDevice.Outcome, of user: UserID, _ device: DeviceID) throws(StoreError) {
        for index in self.rows.pushDevices.indices
        where self.rows.pushDevices[index].user == user && self.rows.pushDevices[index].device == device {
            self.rows.pushDevices[index].outcome = outcome
        }
    }

    func removePushDevice(of user: UserID, _ device: DeviceID) throws(StoreError) {
        self.dropPushDevices { $0.user == user && $0.device == device }
    }

    func removePushDevice(endpoint: String) throws(StoreError) {
        self.dropPushDevices { $0.endpoint == endpoint }
    }

    func removePushDevices(of user: UserID) throws(StoreError) {
        self.dropPushDevices { $0.user == user }
    }

    func usersWithPushDevices(
        in key: ConversationKey, after user: String, limit: Int
    ) throws(StoreError) -> [UserID] {
        try self.read { rows in
            let members = (rows.members[key] ?? [:]).keys.filter { member in
                member.text > user && rows.pushDevices.contains { $0.user == member }
            }
            return Array(members.sorted { $0.text < $1.text }.prefix(limit))
        }
    }

    func dropPushDevices(_ isGone: (PushDevice) -> Bool) {
        for device in self.rows.pushDevices where isGone(device) { self.rows.pushTags[device.registration] = nil }
        self.rows.pushDevices.removeAll(where: isGone)
    }

    func insertPush(of entry: EntryKey) throws(StoreError) {
        guard !self.rows.pushDevices.isEmpty else { return }
        self.rows.pushNumber += 1
        self.rows.pushes.append(PushRow(self.rows.pushNumber, entry))
    }

    func pushes(after number: Int64, limit: Int) throws(StoreError) -> [PushRow] {
        try self.read { Array($0.pushes.filter { $0.number > number }.prefix(limit)) }
    }

    func pushes(numbered ranges: [ClosedRange<Int64>], limit: Int) throws(StoreError) -> [PushRow] {
        try self.read { rows in
            ranges.flatMap { range in rows.pushes.filter { range.contains($0.number) }.prefix(limit) }
        }
    }

    func removePush(_ number: Int64) throws(StoreError) { self.rows.pushes.removeAll { $0.number == number } }

    func removePushes(of key: ConversationKey, through entry: UInt64) throws(StoreError) {
        self.rows.pushes.removeAll { $0.entry.conversation == key && $0.entry.number <= entry }
    }
}

extension MemoryTables {
    func pushDevice(_ registration: RegistrationID) throws(StoreError) -> PushDevice? {
        try self.read { $0.pushDevices.first { $0.registration == registration } }
    }

    func pushDevices(named alias: PushLabel) throws(StoreError) -> [PushDevice] {
        try self.read { rows in
            rows.pushDevices.filter { $0.alias == alias }.sorted { $0.registration.text < $1.registration.text }
        }
    }

    func pushDevices(
        tagged tag: PushLabel?, after registration: String, limit: Int
    ) throws(StoreError) -> [PushDevice] {
        try self.read { rows in
            let found = rows.pushDevices.filter { device in
                device.registration.text > registration
                    && (tag.map { rows.pushTags[device.registration]?.contains($0) ?? false } ?? true)
            }
            return Array(found.sorted { $0.registration.text < $1.registration.text }.prefix(limit))
        }
    }

    func pushTags(of registration: RegistrationID) throws(StoreError) -> [PushLabel] {
        try self.read { rows in (rows.pushTags[registration] ?? []).sorted { $0.text < $1.text } }
    }

    func pushTags(limit: Int) throws(StoreError) -> [PushLabel] {
        try self.read { rows in
            let all = rows.pushTags.values.reduce(into: Set()) { $0.formUnion($1) }
            return Array(all.sorted { $0.text < $1.text }.prefix(limit))
        }
    }

    func insertPushTag(_ tag: PushLabel, of registration: RegistrationID) throws(StoreError) {
        self.rows.pushTags[registration, default: []].insert(tag)
    }

    func removePushTag(_ tag: PushLabel, of registration: RegistrationID) throws(StoreError) {
        self.rows.pushTags[registration]?.remove(tag)
    }

    func removePushTag(_ tag: PushLabel) throws(StoreError) {
        for registration in self.rows.pushTags.keys { self.rows.pushTags[registration]?.remove(tag) }
    }
}

extension MemoryTables {
    func latestPushEventNumber() throws(StoreError) -> Int64? { try self.read { $0.pushEvents.last?.number } }

    func insert(_ event: PushEvent, as number: Int64) throws(StoreError) {
        try self.check(self.rows.pushEvents.allSatisfy { $0.number < number })
        self.rows.pushEvents.append((number, event))
    }

    func pushEvents(
        of user: UserID?, in place: String?, entry: UInt64?, limit: Int
    ) throws(StoreError) -> [PushEvent] {
        try self.read { rows in
            let found = rows.pushEvents.lazy.reversed().map(\.event).filter { event in
                (user == nil || event.user == user) && (place == nil || event.subject.place == place)
                    && (entry == nil || event.subject.entry == entry)
            }
            return Array(found.prefix(limit))
        }
    }

    func pushEvents(of push: RandomToken, for user: UserID) throws(StoreError) -> [PushEvent] {
        try self.read { $0.pushEvents.map(\.event).filter { $0.push == push && $0.user == user } }
    }

    func removePushEvents(through number: Int64) throws(StoreError) {
        self.rows.pushEvents.removeAll { $0.number <= number }
    }

    func removePushEvents(before time: WallTime) throws(StoreError) {
        self.rows.pushEvents.removeAll { $0.event.time < time }
    }

    func removePushEvents(of user: UserID) throws(StoreError) {
        self.rows.pushEvents.removeAll { $0.event.user == user }
    }
}
