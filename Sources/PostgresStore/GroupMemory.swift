internal import PostgresLink
internal import SQLTables

/// What a group has read, for those of its requests that ask the same: within a transaction the answer is the same, until the
/// group itself writes to a table it came from.
struct GroupMemory {
    private struct Question: Hashable {
        let sql: String
        let values: [SQLValue]
    }

    private var answers: [Question: PostgresRows] = [:]
    /// Which of them came from a table.
    private var questions: [String: Set<Question>] = [:]
    /// A group asks seldom for more, and what it has read is kept until its end.
    private static let maximumAnswers = 256

    func answer(to sql: String, _ values: [SQLValue]) -> PostgresRows? {
        self.answers.isEmpty ? nil : self.answers[Question(sql: sql, values: values)]
    }

    mutating func remember(_ rows: PostgresRows, for sql: String, _ values: [SQLValue]) {
        guard self.answers.count < Self.maximumAnswers else { return }
        let question = Question(sql: sql, values: values)
        for table in PostgresStatements.tables(of: sql) { self.questions[table, default: []].insert(question) }
        self.answers[question] = rows
    }

    /// Forgets what came from the tables that a statement writes to.
    mutating func written(by sql: String) {
        guard !self.answers.isEmpty else { return }
        for table in PostgresStatements.tables(of: sql) {
            for question in self.questions.removeValue(forKey: table) ?? [] { self.answers[question] = nil }
        }
    }
}
