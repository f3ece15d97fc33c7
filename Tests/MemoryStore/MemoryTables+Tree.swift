import Keeping
import RealtimeTree

extension MemoryTables {
    func treeOwner() throws(StoreError) -> String? { try self.read { $0.treeOwner } }

    func setTreeOwner(_ owner: String) throws(StoreError) { self.rows.treeOwner = owner }

    func treeRows(after path: String?, limit: Int) throws(StoreError) -> [TreeRow] {
        try self.read { rows in
            let found = rows.treeRows.filter { row in path.map { Self.isBefore($0, row.key) } ?? true }
            let sorted = found.sorted { Self.isBefore($0.key, $1.key) }
            return sorted.prefix(limit).map { TreeRow(path: $0.key, value: $0.value) }
        }
    }

    func put(_ row: TreeRow) throws(StoreError) { self.rows.treeRows[row.path] = row.value }

    func removeTreeRow(_ path: String) throws(StoreError) { self.rows.treeRows[path] = nil }

    func removeTreeRows(under path: String) throws(StoreError) {
        self.rows.treeRows = self.rows.treeRows.filter { !Self.isUnder($0.key, path) }
    }

    func leftWrites() throws(StoreError) -> [LeftWrite] {
        try self.read { rows in
            rows.leftWrites.sorted { one, other in
                if one.number != other.number { return one.number < other.number }
                return one.session == other.session
                    ? Self.isBefore(one.path, other.path) : Self.isBefore(one.session, other.session)
            }
        }
    }

    func put(_ write: LeftWrite) throws(StoreError) {
        self.rows.leftWrites.removeAll { $0.session == write.session && $0.path == write.path }
        self.rows.leftWrites.append(write)
    }

    func removeLeftWrites(of session: String, under path: String) throws(StoreError) {
        self.rows.leftWrites.removeAll { $0.session == session && Self.isUnder($0.path, path) }
    }

    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func isUnder(_ path: String, _ place: String) -> Bool {
        place.isEmpty || path == place || path.hasPrefix("\(place)/")
    }
}
