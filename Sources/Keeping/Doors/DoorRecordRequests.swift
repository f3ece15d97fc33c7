/// Writes some and removes others, all of it or nothing. False when a book would have more than it may.
package struct WriteDoorRecords: StoreRequest {
    package var records: [DoorRecord]
    package var removed: [DoorRecord.Place]
    /// Of each book that something is written into.
    package let maximum: Int

    package static let access = StoreAccess.writes

    package init(_ records: [DoorRecord] = [], removing removed: [DoorRecord.Place] = [], maximum: Int = .max) {
        self.records = records
        self.removed = removed
        self.maximum = maximum
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        if self.maximum < .max { guard try self.fits(tables) else { return false } }
        for place in self.removed { try tables.removeDoorRecord(place) }
        for record in self.records { try tables.put(record) }
        return true
    }

    private func fits(_ tables: some Tables) throws(StoreError) -> Bool {
        var (new, seen) = ([String: Int](), Set<DoorRecord.Place>())
        for record in self.records where seen.insert(record.place).inserted {
            if try tables.doorRecord(record.place) == nil { new[record.place.book, default: 0] += 1 }
        }
        // Always in the same order: the request may be performed again.
        for book in new.keys.sorted() {
            guard try tables.doorRecordCount(in: book) + new[book, default: 0] <= self.maximum else { return false }
        }
        return true
    }
}

/// Those of them that there are, in the order of the question.
package struct FindDoorRecords: StoreRequest {
    package let places: [DoorRecord.Place]

    package static let access = StoreAccess.readsCommitted

    package init(_ places: [DoorRecord.Place]) { self.places = places }

    package func perform(on tables: some Tables) throws(StoreError) -> [DoorRecord] {
        var found: [DoorRecord] = []
        for place in self.places {
            if let record = try tables.doorRecord(place) { found.append(record) }
        }
        return found
    }
}

/// Those of a book, in the order of their names.
package struct ListDoorRecords: StoreRequest {
    package let books: [String]
    package let name: String
    /// Of each book.
    package let limit: Int

    package static let access = StoreAccess.readsCommitted

    package init(in books: [String], after name: String = "", limit: Int) {
        self.books = books
        self.name = name
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [DoorRecord] {
        var found: [DoorRecord] = []
        for book in self.books { found += try tables.doorRecords(in: book, after: self.name, limit: self.limit) }
        return found
    }
}
