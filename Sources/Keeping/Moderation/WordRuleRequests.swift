package import Conversing

/// Has something done about a word. False when there are as many rules as may be.
package struct SetWordRule: StoreRequest {
    package let rule: WordRule

    package static let access = StoreAccess.writes

    package init(_ rule: WordRule) { self.rule = rule }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        let isNew = try !tables.hasWordRule(self.rule.word)
        if isNew, try tables.wordRuleCount() >= WordRules.maximumRules { return false }
        try tables.put(self.rule)
        return true
    }
}

/// False when nothing was done about this word.
package struct RemoveWordRule: StoreRequest {
    package let word: String

    package static let access = StoreAccess.writes

    /// - Parameter word: in the form in which words are compared.
    package init(_ word: String) { self.word = word }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard try tables.hasWordRule(self.word) else { return false }
        try tables.removeWordRule(self.word)
        return true
    }
}

/// All of them, in the order of their words.
package struct ListWordRules: StoreRequest {
    package static let access = StoreAccess.readsCommitted

    package init() {}

    package func perform(on tables: some Tables) throws(StoreError) -> [WordRule] { try tables.wordRules() }
}
