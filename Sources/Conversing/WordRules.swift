internal import JSON

/// What is done about a word that an operator has on a list.
package struct WordRule: Hashable, Sendable {
    /// The later ones outweigh those before.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// It is said, and the operators are told.
        case flag
        /// It is said with stars in the word's place.
        case mask
        case refuse

        fileprivate var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// In the form in which words are compared.
    package let word: String
    package let action: Action
    /// It counts only where no letter or digit stands beside it.
    package let isWhole: Bool

    package static let maximumLength = 64

    /// Nil for a word that nobody could see, or a long one.
    package init?(_ word: String, _ action: Action, isWhole: Bool = false) {
        guard let word = Self.compared(word) else { return nil }
        self.word = word
        self.action = action
        self.isWhole = isWhole
    }

    /// The form by which a rule is found.
    package static func compared(_ word: String) -> String? {
        // What is not seen goes first: there may be white space behind it.
        let trimmed = FoldedText(word).text.drop(while: \.isWhitespace)
        guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        let compared = String(trimmed[...last])
        return compared.unicodeScalars.count <= Self.maximumLength ? compared : nil
    }
}

/// All rules, ready to look at what is said.
package struct WordRules: Sendable {
    private let matcher: WordMatcher
    private let rules: [WordRule]

    package static let maximumRules = 2000

    package init(_ rules: [WordRule] = []) {
        self.rules = rules
        self.matcher = WordMatcher(rules.map { WordMatcher.Word($0.word, isWhole: $0.isWhole) })
    }

    package var count: Int { self.rules.count }

    /// What is to be done about some words.
    package enum Verdict: Hashable, Sendable {
        case fine
        /// They are said as they are, or with others in their place. `flagged` is what the operators want to hear of.
        case said(MessageBody, flagged: String?)
        case refuse
    }

    /// - Parameter kept: what clients of other kinds have put beside the words, which cannot be masked there.
    package func judge(_ body: MessageBody, kept: KeptFields) -> Verdict {
        guard !self.rules.isEmpty, let found = self.weightiest(in: body.words) else { return .fine }
        let flagged = self.flagged(in: body.words)
        switch found {
        case .flag: return .said(body, flagged: flagged)
        case .mask where !kept.appear(in: body):
            return .said(body.replacingWords { self.masked($0) }, flagged: flagged)
        case .mask, .refuse: return .refuse
        }
    }

    /// A name with a word that is masked elsewhere is none. Answers what the operators want to hear of.
    package func judge(name: String) -> (isRefused: Bool, flagged: String?) {
        guard !self.rules.isEmpty, let found = self.weightiest(in: name) else { return (false, nil) }
        return (found != .flag, self.flagged(in: name))
    }

    private func weightiest(in text: String) -> WordRule.Action? {
        var weightiest: WordRule.Action?
        self.matcher.forEachMatch(in: text) { match in
            let action = self.rules[match.word].action
            if action.weight >= weightiest?.weight ?? 0 { weightiest = action }
        }
        return weightiest
    }

    private func flagged(in text: String) -> String? {
        var flagged: String?
        self.matcher.forEachMatch(in: text) { match in
            if flagged == nil, self.rules[match.word].action == .flag { flagged = self.rules[match.word].word }
        }
        return flagged
    }

    /// With stars in the place of words that are to be masked.
    package func masked(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        self.matcher.forEachMatch(in: text) { match in
            guard self.rules[match.word].action == .mask else { return }
            for index in match.range { scalars[index] = "*" }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
