import Conversing
import FileTypes
import Keeping
import Vocabulary

extension MemoryTables {
    func file(_ id: FileID) throws(StoreError) -> FileRow? {
        try self.read { $0.orphans.contains(id) ? nil : $0.files[id] }
    }

    func insert(_ file: FileRecord) throws(StoreError) {
        try self.check(self.rows.files[file.id] == nil)
        self.rows.files[file.id] = FileRow(file, uses: 0)
    }

    func setPreview(_ preview: FilePreview, of file: FileID) throws(StoreError) {
        guard let row = self.rows.files[file] else { return }
        var record = row.file
        record.add(preview)
        self.rows.files[file] = FileRow(record, uses: row.uses)
    }

    func changeUses(of file: FileID, by step: Int) throws(StoreError) {
        guard let row = self.rows.files[file] else { return }
        self.rows.files[file] = FileRow(row.file, uses: row.uses + step)
    }

    func orphan(_ file: FileID) throws(StoreError) { self.rows.orphans.insert(file) }

    func removeFile(_ id: FileID) throws(StoreError) {
        self.rows.files[id] = nil
        self.rows.orphans.remove(id)
    }

    func fileUsage(of owner: UserID) throws(StoreError) -> FileUsage {
        try self.read { rows in
            let files = rows.files.values.filter { $0.file.owner == owner && !rows.orphans.contains($0.file.id) }
            return FileUsage(count: files.count, bytes: files.reduce(0) { $0 + $1.file.size })
        }
    }

    func hasContent(_ hash: ContentHash) throws(StoreError) -> Bool {
        try self.read { $0.files.values.contains { $0.file.hash == hash } }
    }

    func unusedFiles(
        createdBefore time: WallTime, limit: Int
    ) throws(StoreError) -> [(id: FileID, hash: ContentHash)] {
        try self.read { rows in
            let unused = rows.files.values.filter { row in
                let isOld = row.file.stay != .openForGood && row.file.created < time
                return row.uses == 0 && (isOld || rows.orphans.contains(row.file.id))
            }
            return unused.prefix(limit).map { ($0.file.id, $0.file.hash) }
        }
    }

    func files(of owner: UserID, after file: FileID?, limit: Int) throws(StoreError) -> [FileRecord] {
        try self.read { rows in
            let own = rows.files.values.map(\.file).filter { one in
                one.owner == owner && !rows.orphans.contains(one.id) && (file.map { one.id.text > $0.text } ?? true)
            }
            return Array(own.sorted { $0.id.text < $1.id.text }.prefix(limit))
        }
    }

    func unusedFiles(of owner: UserID, limit: Int) throws(StoreError) -> [FileID] {
        try self.read { rows in
            let unused = rows.files.values.filter { row in
                row.file.owner == owner && row.uses == 0 && !rows.orphans.contains(row.file.id)
            }
            return unused.prefix(limit).map(\.file.id)
        }
    }

    func show(_ file: FileID, in key: EntryKey) throws(StoreError) {
        self.rows.shown[key, default: []].insert(file)
    }

    func files(shownIn key: EntryKey) throws(StoreError) -> [FileID] { try self.read { Array($0.shown[key] ?? []) } }

    func hideFiles(in key: EntryKey) throws(StoreError) { self.rows.shown[key] = nil }

    func isShown(_ file: FileID, to user: UserID) throws(StoreError) -> Bool {
        try self.read { rows in
            rows.shown.contains { key, files in
                guard files.contains(file), let member = rows.members[key.conversation]?[user]?.member else {
                    return false
                }
                return key.number > member.since
            }
        }
    }
}

extension MemoryTables {
    func upload(_ id: FileID) throws(StoreError) -> UploadRecord? { try self.read { $0.uploads[id] } }

    func uploads(of owner: UserID) throws(StoreError) -> [UploadRecord] {
        try self.read { $0.uploads.values.filter { $0.owner == owner } }
    }

    func uploadLengths() throws(StoreError) -> [FileID: Int] { try self.read { $0.uploads.mapValues(\.length) } }

    func insert(_ upload: UploadRecord) throws(StoreError) {
        try self.check(self.rows.uploads[upload.id] == nil)
        self.rows.uploads[upload.id] = upload
    }

    func removeUpload(_ id: FileID) throws(StoreError) { self.rows.uploads[id] = nil }

    func uploads(expiredBy now: WallTime, limit: Int) throws(StoreError) -> [FileID] {
        try self.read { $0.uploads.values.filter { $0.expiry <= now }.prefix(limit).map(\.id) }
    }
}

// MARK: - The outbox

extension MemoryTables {
    func insert(_ delivery: NewDelivery) throws(StoreError) {
        self.rows.deliveries += 1
        self.rows.outbox.append(DeliveryRow(self.rows.deliveries, delivery))
    }

    func delivery(_ number: Int64) throws(StoreError) -> DeliveryRow? {
        try self.read { $0.outbox.first { $0.number == number } }
    }

    func deliveries(after number: Int64, isGivenUp: Bool, limit: Int) throws(StoreError) -> [DeliveryRow] {
        try self.read { rows in
            Array(rows.outbox.filter { $0.number > number && $0.isGivenUp == isGivenUp }.prefix(limit))
        }
    }

    func deliveries(numbered ranges: [ClosedRange<Int64>], limit: Int) throws(StoreError) -> [DeliveryRow] {
        try self.read { rows in
            let waiting = rows.outbox.filter { !$0.isGivenUp }
            return ranges.flatMap { range in waiting.filter { range.contains($0.number) }.prefix(limit) }
        }
    }

    func deliveries(
        in key: ConversationKey, _ numbers: ClosedRange<Int64>, limit: Int
    ) throws(StoreError) -> [DeliveryRow] {
        try self.read { rows in
            let inOne = rows.outbox.filter { row in
                row.entry.conversation == key && !row.isGivenUp && numbers.contains(row.number)
            }
            return Array(inOne.prefix(limit))
        }
    }

    func triedDeliveries(limit: Int) throws(StoreError) -> [DeliveryRow] {
        try self.read { Array($0.outbox.filter { $0.attempts > 0 }.prefix(limit)) }
    }

    func deliveryCount(isGivenUp: Bool) throws(StoreError) -> Int {
        try self.read { $0.outbox.count { $0.isGivenUp == isGivenUp } }
    }

    func update(_ delivery: DeliveryRow) throws(StoreError) {
        guard let index = self.rows.outbox.firstIndex(where: { $0.number == delivery.number }) else { return }
        self.rows.outbox[index] = delivery
    }

    func removeDelivery(_ number: Int64) throws(StoreError) { self.rows.outbox.removeAll { $0.number == number } }

    func removeDeliveries(of key: ConversationKey, through entry: UInt64) throws(StoreError) {
        self.rows.outbox.removeAll { $0.entry.conversation == key && $0.entry.number <= entry }
    }

    func lastEvent(of series: RandomToken) throws(StoreError) -> UInt64? {
        try self.read { $0.eventPlaces[series]?.number }
    }

    func put(_ place: EventPlace, at time: WallTime) throws(StoreError) {
        self.rows.eventPlaces[place.series] = (place.number, time)
    }

    func removeEventPlaces(before time: WallTime) throws(StoreError) {
        self.rows.eventPlaces = self.rows.eventPlaces.filter { $0.value.time >= time }
    }
}
