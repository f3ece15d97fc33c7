package import Conversing
package import Keeping

private enum WordRuleColumn: Int, Column { case word, action, whole }

extension WordRule {
    fileprivate init(_ row: Row<WordRuleColumn>) throws(StoreError) {
        let action = try row.required(.action) { Action(rawValue: $0) }
        let isWhole = row.integer(.whole) != 0
        self = try row.required(.word) { WordRule($0, action, isWhole: isWhole) }
    }
}

extension SQLTables {
    private static let putWordRule = "INSERT INTO word_rules \(WordRuleColumn.replacement(of: .word))"

    package func wordRules() throws(StoreError) -> [WordRule] {
        let sql = "SELECT \(WordRuleColumn.list()) FROM word_rules ORDER BY word"
        return try self.connection.all(sql, [], read: WordRule.init)
    }

    package func hasWordRule(_ word: String) throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM word_rules WHERE word = ?", [.text(word)])
    }

    package func wordRuleCount() throws(StoreError) -> Int {
        Int(try self.connection.number("SELECT count(*) FROM word_rules") ?? 0)
    }

    package func put(_ rule: WordRule) throws(StoreError) {
        let values: [SQLValue] = [.text(rule.word), .text(rule.action.rawValue), .flag(rule.isWhole)]
        try self.connection.run(Self.putWordRule, values)
    }

    package func removeWordRule(_ word: String) throws(StoreError) {
        try self.connection.run("DELETE FROM word_rules WHERE word = ?", [.text(word)])
    }
}
