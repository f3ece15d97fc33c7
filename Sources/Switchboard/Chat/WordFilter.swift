package import Conversing
internal import Keeping
package import Operations
internal import System
package import Vocabulary

/// Looks at what users are about to say, and at the names they give, for an operator's words.
package final class WordFilter: Sendable {
    private let rules = Locked(WordRules())
    private let kept: KeptFields

    package init(kept: KeptFields = KeptFields()) { self.kept = kept }

    package func use(_ rules: WordRules) { self.rules.withLock { $0 = rules } }

    private var current: WordRules { self.rules.withLock(\.self) }

    package static let refusal = RequestError(.forbidden, "this has a word that is not allowed here")

    /// Changes what is asked for where words are masked. Answers what the operators want to hear of.
    func judge(_ request: inout ChangeRequest) throws(RequestError) -> String? {
        switch request.change {
        // What is forwarded was looked at when it was said.
        case .post(let draft) where request.original == nil:
            return try self.judge(draft.body) { request.change = .post(draft.saying($0)) }
        case .edit(let number, let body):
            return try self.judge(body) { request.change = .edit(number, $0) }
        case .rename(let title): return try self.judge(name: title)
        default: return nil
        }
    }

    private func judge(_ body: MessageBody, _ say: (MessageBody) -> Void) throws(RequestError) -> String? {
        switch self.current.judge(body, kept: self.kept) {
        case .fine: return nil
        case .refuse: throw Self.refusal
        case .said(let body, let flagged):
            say(body)
            return flagged
        }
    }

    func judge(name: DisplayName) throws(RequestError) -> String? {
        let (isRefused, flagged) = self.current.judge(name: name.text)
        guard !isRefused else { throw Self.refusal }
        return flagged
    }

    /// Whether nobody may be called so.
    package func refuses(_ name: DisplayName) -> Bool { self.current.judge(name: name.text).isRefused }
}

extension Draft {
    fileprivate func saying(_ body: MessageBody) -> Draft {
        var said = Draft(self.kind, body)
        said.reply = self.reply
        said.mentions = self.mentions
        said.isForwarded = self.isForwarded
        return said
    }
}

extension ChangeOutcome {
    /// What is reported of it: the message that was said or edited, or the conversation that has a new name.
    var reported: ReportTarget {
        switch self.entry.sort {
        case .message: .message(self.conversation, self.entry.number)
        case .edited: .message(self.conversation, self.entry.target ?? self.entry.number)
        default: .conversation(self.conversation)
        }
    }
}
