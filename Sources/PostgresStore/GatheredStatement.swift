internal import PostgresLink
internal import SQLTables

/// A statement that writes one row, and what says the same of many rows at once: over arrays, planned and carried out once.
///
/// Only statements that say all of a row in values have such a form: `INSERT … VALUES`, with a way out or without, one that
/// replaces what is there, `INSERT … SELECT $1 … WHERE EXISTS (…)`, and `UPDATE … SET a = $1 … WHERE key = $2 …`.
struct GatheredStatement {
    private enum Form {
        case insert(into: String, values: String, condition: String, otherwise: String)
        case update(sets: String, condition: String)
    }

    let table: String
    /// Which values tell the row: of two writes to the same one the later counts. Nil where every write is a row of its own.
    let key: [Int]?
    private let form: Form

    /// - Parameter sql: in PostgreSQL's words. Nil where it has to be said row by row.
    init?(_ sql: String) {
        if let insert = Self.insert(sql) ?? Self.conditionalInsert(sql) {
            self = insert
        } else if let update = Self.update(sql) {
            self = update
        } else {
            return nil
        }
    }

    private init(table: String, key: [Int]?, _ form: Form) {
        self.table = table
        self.key = key
        self.form = form
    }

    private static func insert(_ sql: String) -> GatheredStatement? {
        let shape = /INSERT INTO (\w+) \(([^()]*)\) VALUES \((.*?)\)(?:\s+(ON CONFLICT .*))?/.dotMatchesNewlines()
        guard let match = sql.wholeMatch(of: shape) else { return nil }
        let (columns, values) = (Self.list(match.2), Self.list(match.3))
        let otherwise = match.4.map { String($0) } ?? ""
        let target = "\(match.1) (\(match.2))"
        let form = Form.insert(into: target, values: String(match.3), condition: "", otherwise: otherwise)
        if otherwise.isEmpty || otherwise.hasSuffix("DO NOTHING") {
            return GatheredStatement(table: String(match.1), key: nil, form)
        }
        guard let key = Self.replacedKey(otherwise, columns), columns.count == values.count else { return nil }
        let places = key.compactMap { column in columns.firstIndex(of: column).flatMap { Self.place(values[$0]) } }
        return places.count == key.count ? GatheredStatement(table: String(match.1), key: places, form) : nil
    }

    private static func conditionalInsert(_ sql: String) -> GatheredStatement? {
        let shape = /INSERT INTO (\w+) (\([^()]*\)) SELECT (\$\d+(?:, \$\d+)*) (WHERE EXISTS \([^()$]*\))/
        guard let match = sql.wholeMatch(of: shape) else { return nil }
        let form = Form.insert(
            into: "\(match.1) \(match.2)", values: String(match.3), condition: String(match.4), otherwise: "")
        return GatheredStatement(table: String(match.1), key: nil, form)
    }

    /// The columns of the key, where all others are replaced.
    private static func replacedKey(_ otherwise: String, _ columns: [String]) -> [String]? {
        let shape = /ON CONFLICT \(([^()]*)\) DO UPDATE SET (.*)/.dotMatchesNewlines()
        guard let match = otherwise.wholeMatch(of: shape) else { return nil }
        let key = Self.list(match.1)
        let others = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
        return Set(others) == Set(Self.list(match.2)) ? key : nil
    }

    private static func update(_ sql: String) -> GatheredStatement? {
        let shape = /UPDATE (\w+) SET (.*?)\s+WHERE (.*)/.dotMatchesNewlines()
        guard let match = sql.wholeMatch(of: shape) else { return nil }
        let conditions = match.3.split(separator: " AND ").map { Self.place(ofEquation: $0) }
        guard Self.list(match.2).allSatisfy({ Self.place(ofEquation: $0) != nil }), !conditions.contains(nil) else {
            return nil
        }
        let form = Form.update(sets: String(match.2), condition: String(match.3))
        return GatheredStatement(table: String(match.1), key: conditions.compactMap(\.self), form)
    }

    private static func list(_ text: Substring) -> [String] {
        text.split(separator: ",").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    private static func place(ofEquation text: some StringProtocol) -> Int? {
        let match = String(text).wholeMatch(of: /\s*"?\w+"? = (\$\d+)\s*/)
        return match.flatMap { Self.place(String($0.1)) }
    }

    /// 0 for `$1`.
    private static func place(_ value: String) -> Int? {
        value.wholeMatch(of: /\$(\d+)/).flatMap { Int($0.1) }.map { $0 - 1 }
    }
}

// MARK: - Many rows

extension GatheredStatement {
    /// The statement for these rows, and its values: an array for each place in which there is anything.
    func statement(for rows: [[SQLValue]]) -> (sql: String, values: [PostgresValue]) {
        var (values, names, arrays) = ([PostgresValue](), [Int: String](), [String]())
        for place in 0..<(rows.first?.count ?? 0) {
            guard let array = Self.array(rows.map { $0[place] }) else { continue }
            values.append(array.value)
            names[place] = "gathered.v\(values.count)"
            arrays.append("CAST($\(values.count) AS \(array.type)[])")
        }
        let columns = (1...max(1, values.count)).map { "v\($0)" }.joined(separator: ", ")
        let source = "unnest(\(arrays.joined(separator: ", "))) AS gathered (\(columns))"
        return (self.text(from: source) { names[$0] ?? "NULL" }, values)
    }

    private func text(from source: String, naming name: (Int) -> String) -> String {
        func named(_ text: String) -> String {
            text.replacing(/\$(\d+)/) { match in name((Int(match.1) ?? 0) - 1) }
        }
        switch self.form {
        case .insert(let target, let values, let condition, let otherwise):
            return "INSERT INTO \(target) SELECT \(named(values)) FROM \(source) \(condition) \(otherwise)"
        case .update(let sets, let condition):
            return "UPDATE \(self.table) SET \(named(sets)) FROM \(source) WHERE \(named(condition))"
        }
    }

    /// Nil when nothing is in it.
    private static func array(_ column: [SQLValue]) -> (value: PostgresValue, type: String)? {
        switch column.first(where: { $0 != .null }) {
        case .integer: (.integers(column.map { if case .integer(let number) = $0 { number } else { nil } }), "BIGINT")
        case .text: (.texts(column.map { if case .text(let text) = $0 { text } else { nil } }), "TEXT")
        case .blob: (.byteArrays(column.map { if case .blob(let bytes) = $0 { bytes } else { nil } }), "BYTEA")
        case .null, nil: nil
        }
    }
}
