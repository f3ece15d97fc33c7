internal import Vocabulary

/// What may stand in the fields of a request, each with its limit and the words that it is refused with.
extension RongCloudForm {
    func required(_ name: String) throws(RongCloudProblem) -> String {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }

    func text(_ name: String, maximum: Int) throws(RongCloudProblem) -> String? {
        guard let value = self[name] else { return nil }
        guard value.utf8.count <= maximum else { throw .tooLong(name, maximum) }
        return value
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(RongCloudProblem) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = Int(value), range.contains(number) else {
            throw .illegal(name, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// As programs write it in the languages they are made in.
    func flag(_ name: String, else usual: Bool) throws(RongCloudProblem) -> Bool {
        guard let value = self[name] else { return usual }
        switch value.lowercased() {
        case "1", "true": return true
        case "0", "false": return false
        default: throw .illegal(name, "0 or 1")
        }
    }

    // MARK: - Users

    static let maximumIDBytes = 64

    func user(_ name: String) throws(RongCloudProblem) -> UserID { try Self.user(try self.required(name), name) }

    func users(_ name: String, _ counts: ClosedRange<Int>) throws(RongCloudProblem) -> [UserID] {
        let values = self.values(of: name)
        guard !values.isEmpty || counts.lowerBound == 0 else { throw .missing(name) }
        guard values.count <= counts.upperBound else { throw .illegal(name, "at most \(counts.upperBound)") }
        var (users, known) = ([UserID](), Set<UserID>())
        for value in values {
            let user = try Self.user(value, name)
            if known.insert(user).inserted { users.append(user) }
        }
        return users
    }

    /// No id has a space in it: where one stands, a plus sign was meant.
    static func user(_ text: String, _ name: String) throws(RongCloudProblem) -> UserID {
        guard text.utf8.count <= self.maximumIDBytes else { throw .tooLong(name, self.maximumIDBytes) }
        let text = String(text.map { $0 == " " ? "+" : $0 })
        guard let user = UserID(text), user != RongCloudPlace.server else {
            throw .illegal(name, "1 to 64 letters, digits and + = - _")
        }
        return user
    }
}
