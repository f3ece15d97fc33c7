internal import Conversing
internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Web

/// The operator's list of words: `/v1/rules`.
extension AdminRoutes {
    func addRules(to router: inout Router) {
        self.on(.get, "/v1/rules", of: &router) { exchange, _ in
            self.signalling.store.send(
                ListWordRules(),
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { json, rules in
                        json.object { $0.array("rules", of: rules) { $0.rule($1) } }
                    }
                })
        }
        self.on(.put, "/v1/rules", of: &router) { exchange, _ in self.add(exchange) }
        self.on(.delete, "/v1/rules", of: &router) { exchange, _ in
            guard let word = QueryItems(exchange.request.query ?? "")?["word"].flatMap({ WordRule.compared($0) }) else {
                return exchange.respond(Self.badRule)
            }
            let words = self.signalling.words
            self.carryOut(exchange, "rule.remove", on: word) {
                guard let isRemoved = await words.change(RemoveWordRule(word)) else { return .failed }
                return isRemoved ? .done() : .refused(.notFound, "there is no rule about this word")
            }
        }
    }

    private func add(_ exchange: HTTPExchange) {
        guard let rule = WordRule(query: exchange.request.query ?? "") else { return exchange.respond(Self.badRule) }
        let words = self.signalling.words
        let detail = "action=\(rule.action.rawValue)\(rule.isWhole ? " whole" : "")"
        self.carryOut(exchange, "rule.add", on: rule.word, detail) {
            guard let isSet = await words.change(SetWordRule(rule)) else { return .failed }
            return isSet ? .done() : .refused(.conflict, "there are \(WordRules.maximumRules) rules already")
        }
    }

    private static let badRule = HTTPResponse.error(
        .badRequest,
        "'word' must have 1 to \(WordRule.maximumLength) characters that can be seen, 'action' be refuse, mask or flag, 'whole' true or false"
    )
}

extension WordRule {
    fileprivate init?(query: String) {
        guard let query = QueryItems(query), let word = query["word"],
            let action = query["action"].flatMap({ Action(rawValue: $0) }),
            let isWhole = Bool(query["whole"] ?? "false")
        else { return nil }
        self.init(word, action, isWhole: isWhole)
    }
}

extension JSONWriter {
    fileprivate mutating func rule(_ rule: WordRule) {
        self.object { json in
            json.members([("word", rule.word), ("action", rule.action.rawValue)])
            if rule.isWhole { json.field("whole", true) }
        }
    }
}
