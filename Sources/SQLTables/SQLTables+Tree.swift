package import Keeping
package import RealtimeTree

private enum TreeRowColumn: Int, Column { case path, value }

private enum LeftWriteColumn: Int, Column { case session, path, number, value, auth }

private enum TreeOwnerColumn: Int, Column { case id, owner }

extension SQLTables {
    private static let treeRows = "SELECT \(TreeRowColumn.list()) FROM tree_rows"
    private static let putTreeRow = "INSERT INTO tree_rows \(TreeRowColumn.replacement(of: .path))"
    private static let putTreeOwner = "INSERT INTO tree_owner \(TreeOwnerColumn.replacement(of: .id))"

    package func treeOwner() throws(StoreError) -> String? {
        try self.connection.first("SELECT owner FROM tree_owner WHERE id = 1") { $0.text(0) } ?? nil
    }

    package func setTreeOwner(_ owner: String) throws(StoreError) {
        try self.connection.run(Self.putTreeOwner, [.integer(1), .text(owner)])
    }

    package func treeRows(after path: String?, limit: Int) throws(StoreError) -> [TreeRow] {
        let read = { (row: Row<TreeRowColumn>) throws(StoreError) -> TreeRow in
            TreeRow(path: try row.required(.path, row.text(.path)), value: row.blob(.value))
        }
        guard let path else {
            return try self.connection.all("\(Self.treeRows) ORDER BY path LIMIT ?", [.count(limit)], read: read)
        }
        let sql = "\(Self.treeRows) WHERE path > ? ORDER BY path LIMIT ?"
        return try self.connection.all(sql, [.text(path), .count(limit)], read: read)
    }

    package func put(_ row: TreeRow) throws(StoreError) {
        try self.connection.run(Self.putTreeRow, [.text(row.path), .blob(row.value)])
    }

    package func removeTreeRow(_ path: String) throws(StoreError) {
        try self.connection.run("DELETE FROM tree_rows WHERE path = ?", [.text(path)])
    }

    package func removeTreeRows(under path: String) throws(StoreError) {
        guard !path.isEmpty else { return try self.connection.run("DELETE FROM tree_rows") }
        try self.removeTreeRow(path)
        // What is below begins with the path and a slash, and a zero is what comes next after a slash.
        let sql = "DELETE FROM tree_rows WHERE path >= ? AND path < ?"
        try self.connection.run(sql, [.text("\(path)/"), .text("\(path)0")])
    }
}

// MARK: - What is left for the end

extension LeftWrite {
    fileprivate init(_ row: Row<LeftWriteColumn>) throws(StoreError) {
        self.init(
            session: try row.required(.session, row.text(.session)), path: try row.required(.path, row.text(.path)),
            number: row.integer(.number), value: row.blob(.value), auth: row.blob(.auth))
    }

    fileprivate func value(of column: LeftWriteColumn) -> SQLValue {
        switch column {
        case .session: .text(self.session)
        case .path: .text(self.path)
        case .number: .integer(self.number)
        case .value: .blob(self.value)
        case .auth: .blob(self.auth)
        }
    }
}

extension SQLTables {
    private static let putLeftWrite = "INSERT INTO tree_left_writes \(LeftWriteColumn.replacement(of: .session, .path))"

    package func leftWrites() throws(StoreError) -> [LeftWrite] {
        let sql = "SELECT \(LeftWriteColumn.list()) FROM tree_left_writes ORDER BY number, session, path"
        return try self.connection.all(sql, [], read: LeftWrite.init)
    }

    package func put(_ write: LeftWrite) throws(StoreError) {
        try self.connection.run(Self.putLeftWrite, write.value(of:))
    }

    package func removeLeftWrites(of session: String, under path: String) throws(StoreError) {
        guard !path.isEmpty else {
            return try self.connection.run("DELETE FROM tree_left_writes WHERE session = ?", [.text(session)])
        }
        let sql = "DELETE FROM tree_left_writes WHERE session = ? AND path = ?"
        try self.connection.run(sql, [.text(session), .text(path)])
        let below = "DELETE FROM tree_left_writes WHERE session = ? AND path >= ? AND path < ?"
        try self.connection.run(below, [.text(session), .text("\(path)/"), .text("\(path)0")])
    }
}
