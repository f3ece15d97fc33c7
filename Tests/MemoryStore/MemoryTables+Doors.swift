import Keeping
import Vocabulary

extension MemoryTables {
    func doorRecord(_ place: DoorRecord.Place) throws(StoreError) -> DoorRecord? {
        try self.read { $0.doorRecords[place] }
    }

    func doorRecords(in book: String, after name: String, limit: Int) throws(StoreError) -> [DoorRecord] {
        try self.read { rows in
            let found = rows.doorRecords.values.filter { $0.place.book == book && Self.is(name, before: $0.place.name) }
            return Array(found.sorted { Self.is($0.place.name, before: $1.place.name) }.prefix(limit))
        }
    }

    private static func `is`(_ one: String, before other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    func doorRecordCount(in book: String) throws(StoreError) -> Int {
        try self.read { $0.doorRecords.keys.count { $0.book == book } }
    }

    func put(_ record: DoorRecord) throws(StoreError) { self.rows.doorRecords[record.place] = record }

    func removeDoorRecord(_ place: DoorRecord.Place) throws(StoreError) { self.rows.doorRecords[place] = nil }

    func removeDoorRecords(of user: UserID) throws(StoreError) {
        self.rows.doorRecords = self.rows.doorRecords.filter { $0.value.user != user }
    }
}
