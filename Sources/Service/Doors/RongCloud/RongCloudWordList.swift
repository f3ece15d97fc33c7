internal import Conversing
internal import Identity
internal import JSON
internal import Keeping
internal import Vocabulary

/// `sensitiveword/…` and the older `wordfilter/…`: words that people may not say, or that stars stand for.
struct RongCloudWordList {
    private let visit: RongCloudVisit

    private static let maximum = 50
    private static let maximumLetters = 32

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private static func rule(_ word: String, _ action: WordRule.Action = .refuse) throws(RongCloudProblem) -> WordRule {
        guard word.count <= self.maximumLetters else { throw .tooLong("word", self.maximumLetters) }
        guard let rule = WordRule(word, action) else { throw .illegal("word", "one that can be seen") }
        return rule
    }

    func add(_ form: RongCloudForm) throws(RongCloudProblem) {
        let word = try form.required("word")
        let other = try form.text("replaceWord", maximum: 4 * Self.maximumLetters)
        let rule = try Self.rule(word, other == nil ? .refuse : .mask)
        let record = self.visit.record(RongCloudBook.words, rule.word, Self.json(word, other))
        self.visit.fetch(WriteDoorRecords([record], maximum: Self.maximum)) { fits throws(RongCloudProblem) in
            guard fits else { throw .tooManyWords(Self.maximum) }
            self.change(SetWordRule(rule))
        }
    }

    private static func json(_ word: String, _ other: String?) -> String {
        String(
            decoding: JSONWriter.object { json in
                json.field("word", word)
                json.optional("replaceWord", other)
            }, as: UTF8.self)
    }

    func remove(_ form: RongCloudForm, _ field: String) throws(RongCloudProblem) {
        let words = form.values(of: field)
        guard !words.isEmpty else { throw .missing(field) }
        guard words.count <= Self.maximum else { throw .illegal(field, "at most \(Self.maximum)") }
        var rules: [WordRule] = []
        for word in words { rules.append(try Self.rule(word)) }
        self.remove(rules[...])
    }

    /// Words of operators stay.
    private func remove(_ rules: ArraySlice<WordRule>) {
        guard let rule = rules.first else { return self.visit.answer() }
        let place = DoorRecord.Place(RongCloudBook.words, rule.word)
        self.visit.find([place]) { found in
            guard !found.isEmpty else { return self.remove(rules.dropFirst()) }
            self.visit.write(removing: [place]) {
                self.change(RemoveWordRule(rule.word)) { self.remove(rules.dropFirst()) }
            }
        }
    }

    private func change<Request: StoreRequest>(
        _ request: Request, _ done: (() -> Void)? = nil
    ) where Request.Answer == Bool {
        let words = self.visit.dependencies.words
        self.visit.await { () async throws(IdentityRefusal) in
            await words.change(request)
        } _: {
            [visit] isDone throws(RongCloudProblem) in
            guard isDone != nil else { throw .unavailable }
            if let done { done() } else { visit.answer() }
        }
    }

    /// - Parameter form: type 0 for those with others in their place, 1 for those that are refused, 2 for all.
    func list(_ form: RongCloudForm) throws(RongCloudProblem) {
        let type = try form.number("type", in: 0...2) ?? 1
        self.visit.list(RongCloudBook.words, limit: Self.maximum) { [visit] records in
            let words = records.compactMap { LooseObject(Array($0.value.utf8)) }
            let asked = words.filter { type == 2 || ($0.text("replaceWord") == nil) == (type == 1) }
            visit.answer { json in
                json.array("words", of: asked) { json, word in
                    json.object { json in
                        json.field("type", word.text("replaceWord") == nil ? "1" : "0")
                        json.field("word", word.text("word") ?? "")
                        json.optional("replaceWord", word.text("replaceWord"))
                    }
                }
            }
        }
    }
}
