/// A file that sets options: lines `name = value`, comments behind `#` at the start of a line.
///
/// Names are those of the long options. A value is everything behind the first `=`, without the white space
/// around it. Repeating a line repeats an option that can be repeated.
struct ConfigurationFile {
    struct Entry: Hashable, Sendable {
        let name: String
        let value: String
        let line: Int
    }

    let path: String
    let entries: [Entry]

    init(path: String, text: String) throws(UsageProblem) {
        var entries: [Entry] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let sign = line.firstIndex(of: "=") else {
                throw UsageProblem("\(path) line \(index + 1): '\(line)' is not of the form 'name = value'")
            }
            let name = String(line[..<sign].trimmed)
            let value = String(line[line.index(after: sign)...].trimmed)
            entries.append(Entry(name: name, value: value, line: index + 1))
        }
        self.path = path
        self.entries = entries
    }

    /// What the file says, sorted by the option it speaks of.
    func values(for definitions: [ArgumentDefinition]) throws(UsageProblem) -> [String: [GivenValue]] {
        var values: [String: [GivenValue]] = [:]
        for entry in self.entries {
            let definition = try self.definition(for: entry, among: definitions)
            let given = GivenValue(text: entry.value, origin: .file(self.path, line: entry.line))
            if let earlier = values[entry.name]?.first, !definition.isRepeating {
                throw UsageProblem("\(given.origin): '\(entry.name)' was already set in \(earlier.origin)")
            }
            values[entry.name, default: []].append(given)
        }
        return values
    }

    private func definition(
        for entry: Entry,
        among definitions: [ArgumentDefinition]
    ) throws(UsageProblem) -> ArgumentDefinition {
        let place = "\(self.path) line \(entry.line)"
        let settable = definitions.filter { $0.role == .value && !$0.isPositional }
        if let definition = settable.first(where: { $0.longName == entry.name }) { return definition }
        if definitions.contains(where: { $0.role == .configurationFile && $0.longName == entry.name }) {
            throw UsageProblem("\(place): '\(entry.name)' cannot be set in a file")
        }
        let near = NearestName.hint(for: entry.name, among: settable.compactMap(\.longName))
        throw UsageProblem("\(place): unknown name '\(entry.name)'\(near)")
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let end = self.lastIndex { !$0.isWhitespace }.map { self.index(after: $0) } ?? self.startIndex
        return self[..<end].drop(while: \.isWhitespace)
    }
}
