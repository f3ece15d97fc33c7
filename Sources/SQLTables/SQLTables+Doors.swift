package import Keeping
package import Vocabulary

private enum DoorRecordColumn: Int, Column { case book, name, user, value, time }

extension DoorRecord {
    fileprivate init(_ row: Row<DoorRecordColumn>) throws(StoreError) {
        let place = Place(try row.required(.book) { $0 }, try row.required(.name) { $0 })
        let user = row.isNull(.user) ? nil : try row.required(.user) { UserID($0) }
        self.init(place, row.text(.value) ?? "", of: user, at: row.requiredTime(.time))
    }
}

extension SQLTables {
    private static let putDoorRecord = "INSERT INTO door_records \(DoorRecordColumn.replacement(of: .book, .name))"
    private static let selectDoorRecord = "SELECT \(DoorRecordColumn.list()) FROM door_records WHERE book = ?"

    package func doorRecord(_ place: DoorRecord.Place) throws(StoreError) -> DoorRecord? {
        let sql = "\(Self.selectDoorRecord) AND name = ?"
        return try self.connection.first(sql, [.text(place.book), .text(place.name)], read: DoorRecord.init)
    }

    package func doorRecords(in book: String, after name: String, limit: Int) throws(StoreError) -> [DoorRecord] {
        let sql = "\(Self.selectDoorRecord) AND name > ? ORDER BY name LIMIT ?"
        return try self.connection.all(
            sql, [.text(book), .text(name), .count(limit)], read: DoorRecord.init)
    }

    package func doorRecordCount(in book: String) throws(StoreError) -> Int {
        Int(try self.connection.number("SELECT count(*) FROM door_records WHERE book = ?", [.text(book)]) ?? 0)
    }

    package func put(_ record: DoorRecord) throws(StoreError) {
        let values: [SQLValue] = [
            .text(record.place.book), .text(record.place.name), .user(record.user), .text(record.value),
            .time(record.time),
        ]
        try self.connection.run(Self.putDoorRecord, values)
    }

    package func removeDoorRecord(_ place: DoorRecord.Place) throws(StoreError) {
        let sql = "DELETE FROM door_records WHERE book = ? AND name = ?"
        try self.connection.run(sql, [.text(place.book), .text(place.name)])
    }

    package func removeDoorRecords(of user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM door_records WHERE user = ?", [.user(user)])
    }
}
