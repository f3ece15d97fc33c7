internal import PostgresLink
internal import SQLTables

/// Writes that are told to the database together, table by table, before it is asked or told anything else.
///
/// Rows of one statement keep their order. Of one table only one statement waits at a time, so that whatever writes to the same row
/// does so in its order; tables know nothing of each other.
struct GatheredWrites {
    private struct Batch {
        let sql: String
        let statement: GatheredStatement
        /// Of the first row.
        let task: Int
        var rows: [[SQLValue]]
        var places: [[SQLValue]: Int] = [:]
    }

    /// What is to be told, and at which request it began.
    struct Told {
        let sql: String
        let values: [PostgresValue]
        let task: Int
    }

    private var batches: [Batch] = []

    var isEmpty: Bool { self.batches.isEmpty }

    /// False when its table waits for another statement: that one has to be told first.
    mutating func add(_ values: [SQLValue], to sql: String, _ statement: GatheredStatement, of task: Int) -> Bool {
        guard let index = self.batches.firstIndex(where: { $0.statement.table == statement.table }) else {
            self.batches.append(Batch(sql: sql, statement: statement, task: task, rows: []))
            self.append(values, to: self.batches.count - 1)
            return true
        }
        guard self.batches[index].sql == sql else { return false }
        self.append(values, to: index)
        return true
    }

    private mutating func append(_ values: [SQLValue], to index: Int) {
        guard let key = self.batches[index].statement.key?.map({ values[$0] }) else {
            return self.batches[index].rows.append(values)
        }
        if let place = self.batches[index].places[key] {
            self.batches[index].rows[place] = values
        } else {
            self.batches[index].places[key] = self.batches[index].rows.count
            self.batches[index].rows.append(values)
        }
    }

    mutating func takeAll() -> [Told] {
        defer { self.batches = [] }
        return self.batches.map { batch in
            guard batch.rows.count > 1 else {
                return Told(sql: batch.sql, values: batch.rows.joined().map { PostgresValue($0) }, task: batch.task)
            }
            let (sql, values) = batch.statement.statement(for: batch.rows)
            return Told(sql: sql, values: values, task: batch.task)
        }
    }
}
