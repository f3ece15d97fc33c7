internal import JSON

/// Who may read and write what. What is allowed above cannot be taken below; where nothing is said, nothing is allowed.
package struct TreeRules: Sendable {
    private struct Level: Sendable {
        var read: RuleExpression?
        var write: RuleExpression?
        var validate: RuleExpression?
        var children: [String: Level] = [:]
        /// `$name`, for all children that have no rules of their own.
        var anyName: String?
        var any: [Level] = []
    }

    private var root = Level()
    /// What it was read from, by which rules are told apart.
    private let source: String

    /// Nobody may do anything.
    package static let closed = TreeRules(source: "")

    /// Everybody who is signed in may do everything.
    package static let signedIn: TreeRules = {
        let expression = RuleExpression.binary(.unequal, .variable("auth"), .value(.null))
        var rules = TreeRules(source: "signed in")
        (rules.root.read, rules.root.write) = (expression, expression)
        return rules
    }()

    private init(source: String) { self.source = source }
}

// MARK: - Reading rules

extension TreeRules {
    private static let names: Set<String> = ["auth", "now", "root", "data", "newData"]
    private static let maximumBytes = 256 << 10

    /// - Parameter text: `{"rules":{…}}`, with comments as JavaScript has them.
    package init(_ text: String) throws(RuleFault) {
        guard text.utf8.count <= Self.maximumBytes else { throw RuleFault("more than \(Self.maximumBytes) bytes") }
        let json = Self.withoutComments(Array(text.utf8))
        let reader = JSONReader(json.span)
        let document: JSONValue
        do throws(JSONError) { document = try reader.document() } catch { throw RuleFault("no JSON: \(error)") }
        guard let rules = reader.member("rules", of: document), rules.kind == .object else {
            throw RuleFault("there must be an object under the name 'rules'")
        }
        self.source = text
        self.root = try Self.level(rules, reader, "", Self.names)
    }

    private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
        var (kept, index, isInText): ([UInt8], Int, Bool) = ([], 0, false)
        while index < text.count {
            let byte = text[index]
            let next = index + 1 < text.count ? text[index + 1] : 0
            if !isInText, byte == UInt8(ascii: "/"), next == UInt8(ascii: "/") {
                while index < text.count, text[index] != 10 { index += 1 }
            } else if !isInText, byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") {
                index += 2
                while index + 1 < text.count, text[index] != UInt8(ascii: "*") || text[index + 1] != UInt8(ascii: "/") {
                    index += 1
                }
                index += 2
            } else {
                kept.append(byte)
                index += 1
                if isInText, byte == UInt8(ascii: "\\"), index < text.count {
                    kept.append(text[index])
                    index += 1
                } else if byte == UInt8(ascii: "\"") {
                    isInText.toggle()
                }
            }
        }
        return kept
    }

    private static func level(
        _ value: JSONValue, _ reader: borrowing JSONReader, _ place: String, _ variables: Set<String>
    ) throws(RuleFault) -> Level {
        var level = Level()
        var members = reader.members(of: value)
        while let member = members.next() {
            let name = reader.text(at: member.key) ?? ""
            let inner = place.isEmpty ? name : "\(place)/\(name)"
            if name.hasPrefix(".") {
                try self.rule(name, member.value, reader, inner, variables, &level)
                continue
            }
            guard member.value.kind == .object else { throw RuleFault("must be an object", at: inner) }
            var known = variables
            if name.hasPrefix("$") { known.insert(name) }
            let child = try self.level(member.value, reader, inner, known)
            if name.hasPrefix("$") {
                guard level.any.isEmpty else { throw RuleFault("there is another name with '$' beside it", at: inner) }
                guard !variables.contains(name) else { throw RuleFault("the name stands above already", at: inner) }
                (level.anyName, level.any) = (name, [child])
            } else {
                guard TreeKey(name) != nil else { throw RuleFault("is no key", at: inner) }
                level.children[name] = child
            }
        }
        return level
    }

    private static func rule(
        _ name: String, _ value: JSONValue, _ reader: borrowing JSONReader, _ place: String, _ variables: Set<String>,
        _ level: inout Level
    ) throws(RuleFault) {
        // Which children have an index is of no concern here: everything can be asked.
        if name == ".indexOn" {
            guard value.kind == .string || value.kind == .array else {
                throw RuleFault("must be a name or some", at: place)
            }
            return
        }
        guard let text = reader.string(value) ?? reader.bool(value).map({ "\($0)" }) else {
            throw RuleFault("must be a text, true or false", at: place)
        }
        let expression: RuleExpression
        let known = name == ".read" ? variables.subtracting(["newData"]) : variables
        do throws(RuleFault) {
            expression = try RuleParser.parse(text, variables: known)
        } catch {
            throw RuleFault(error.reason, at: place)
        }
        switch name {
        case ".read": level.read = expression
        case ".write": level.write = expression
        case ".validate": level.validate = expression
        default: throw RuleFault("there is no rule of this name", at: place)
        }
    }
}

// MARK: - Asking them

extension TreeRules {
    /// One question, and what is known for its answer.
    private struct Question {
        let auth: TreeNode
        let now: Double
        let before: TreeNode
        let after: TreeNode
        var path = TreePath.root
        var names: [String: RuleValue] = [:]

        func isTrue(_ expression: RuleExpression?) -> Bool {
            guard let expression else { return false }
            var variables = self.names
            variables["auth"] = RuleValue(self.auth)
            variables["now"] = .number(self.now)
            variables["root"] = .data(RuleData(tree: self.before, path: .root))
            variables["data"] = .data(RuleData(tree: self.before, path: self.path))
            variables["newData"] = .data(RuleData(tree: self.after, path: self.path))
            return RuleEvaluation.isTrue(expression, variables)
        }

        func below(_ key: TreeKey, _ level: Level) -> (Question, Level)? {
            var inner = self
            inner.path = self.path.appending(key)
            if let own = level.children[key.text] { return (inner, own) }
            guard let name = level.anyName, let any = level.any.first else { return nil }
            inner.names[name] = .text(key.text)
            return (inner, any)
        }
    }

    /// - Parameter auth: nothing for those who are not signed in.
    package func allowsRead(_ path: TreePath, by auth: TreeNode, of tree: TreeNode, now: Double) -> Bool {
        var place: (Question, Level)? = (Question(auth: auth, now: now, before: tree, after: tree), self.root)
        var rest = path.keys[...]
        while let (question, level) = place {
            if question.isTrue(level.read) { return true }
            guard let key = rest.popFirst() else { return false }
            place = question.below(key, level)
        }
        return false
    }

    package func allowsWrite(
        _ write: TreeWrite, by auth: TreeNode, from before: TreeNode, to after: TreeNode, now: Double
    ) -> Bool {
        let question = Question(auth: auth, now: now, before: before, after: after)
        return write.places.allSatisfy { place in
            self.allowsWrite(place.target.path.keys[...], question)
                && Self.isValid(question, self.root, place.target.path.keys[...])
        }
    }

    private func allowsWrite(_ path: ArraySlice<TreeKey>, _ question: Question) -> Bool {
        var place: (Question, Level)? = (question, self.root)
        var rest = path
        while let (question, level) = place {
            if question.isTrue(level.write) { return true }
            guard let key = rest.popFirst() else { return false }
            place = question.below(key, level)
        }
        return false
    }

    /// Down to the place, and then everything below it that is new.
    private static func isValid(_ question: Question, _ level: Level, _ rest: ArraySlice<TreeKey>) -> Bool {
        let after = question.after.at(question.path)
        guard !after.isNothing, !after.isIdentical(to: question.before.at(question.path)) else { return true }
        if level.validate != nil, !question.isTrue(level.validate) { return false }
        if let key = rest.first {
            guard let (inner, child) = question.below(key, level) else { return true }
            return self.isValid(inner, child, rest.dropFirst())
        }
        guard !level.children.isEmpty || !level.any.isEmpty else { return true }
        return after.children.allSatisfy { key, _ in
            guard let (inner, child) = question.below(key, level) else { return true }
            return self.isValid(inner, child, [])
        }
    }
}

extension TreeRules: Hashable {
    package static func == (one: TreeRules, other: TreeRules) -> Bool { one.source == other.source }
    package func hash(into hasher: inout Hasher) { hasher.combine(self.source) }
}
