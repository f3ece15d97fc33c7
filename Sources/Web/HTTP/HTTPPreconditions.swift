/// What a request wants to be true before it is answered (RFC 9110 §13).
package struct HTTPPreconditions: Sendable {
    package enum Verdict: Hashable, Sendable {
        case proceed
        /// Answered with 304: the client has it already.
        case notModified
        /// Answered with 412.
        case failed
    }

    private let isReading: Bool
    private let fields: HTTPFields

    package init(_ request: HTTPRequestHead) {
        self.isReading = request.method == .get || request.method == .head
        self.fields = request.fields
    }

    /// Compares with what there is, in the order of RFC 9110 §13.2.2. `modified` is in seconds since 1970.
    package func verdict(tag: EntityTag?, modified: Int?) -> Verdict {
        if let wanted = self.list(.ifMatch), !(tag.map(wanted.containsStrongly) ?? false) { return .failed }
        if self.fields.contains(.ifNoneMatch) {
            guard let known = self.list(.ifNoneMatch), let tag, known.containsWeakly(tag) else { return .proceed }
            return self.isReading ? .notModified : .failed
        }
        guard self.isReading, let modified, let since = self.fields[.ifModifiedSince].flatMap(HTTPDate.parse) else {
            return .proceed
        }
        return modified <= since ? .notModified : .proceed
    }

    /// Whether a part may be sent, or everything has to be: a part of another state is of no use (§13.1.5).
    package func allowsPart(tag: EntityTag?, modified: Int?) -> Bool {
        guard let condition = self.fields[.ifRange] else { return true }
        if let date = HTTPDate.parse(condition) { return date == modified }
        guard let tag, case .tags(let tags) = EntityTagList(condition, limit: 1) else { return false }
        return tags.allSatisfy(tag.matchesStrongly)
    }

    private func list(_ name: HTTPFieldName) -> EntityTagList? {
        let values = self.fields.values(of: name)
        return values.isEmpty ? nil : EntityTagList(values.joined(separator: ","))
    }
}
