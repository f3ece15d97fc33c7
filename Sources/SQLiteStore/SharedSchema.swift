package import Keeping
package import SQLTables

/// The tables that every engine has, as the migrations make them: read from a database that is freshly made, so that a new table
/// is known as soon as there is a migration for it.
package enum SharedSchema {
    package static func tables() throws(StoreError) -> [SchemaTable] {
        let connection = try Connection(path: Connection.memory)
        try connection.migrate(Migration.all)
        // The index of words is each engine's own.
        let names = """
            SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            AND name <> 'words' AND name NOT LIKE 'words\\_%' ESCAPE '\\' ORDER BY name
            """
        let found = try connection.all(names) { ($0.text(0) ?? "", $0.text(1) ?? "") }
        var tables: [SchemaTable] = []
        for (name, sql) in found { tables.append(try self.table(name, sql, connection)) }
        return tables
    }

    private static func table(_ name: String, _ sql: String, _ connection: Connection) throws(StoreError) -> SchemaTable
    {
        let rows = try connection.all("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", [.text(name)]) {
            (name: $0.text(0) ?? "", kind: $0.text(1) ?? "", key: Int($0.integer(2)))
        }
        var columns: [SchemaTable.Column] = []
        for row in rows {
            guard let kind = SchemaTable.Column.Kind(rawValue: row.kind) else {
                throw StoreError(.damaged, database: connection.file, detail: "\(name).\(row.name) is of no known type")
            }
            columns.append(SchemaTable.Column(name: row.name, kind: kind))
        }
        let key = rows.indices.filter { rows[$0].key > 0 }.sorted { rows[$0].key < rows[$1].key }
        return SchemaTable(name: name, columns: columns, key: key, isNumbered: sql.contains("AUTOINCREMENT"))
    }
}
