/// Where a text stopped being JSON, and why.
package struct JSONError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The text ended before the value did.
        case truncated
        /// A byte stands where the grammar (RFC 8259) has no place for it.
        case unexpected
        /// Arrays and objects lie too deep inside each other.
        case tooDeep
        /// A string is not UTF-8.
        case malformedText
    }

    package let reason: Reason
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

/// Why a text is not the object that a caller wants. Callers put it into words of their own.
package enum JSONObjectError: Error, Hashable, Sendable {
    case notJSON(JSONError)
    case notObject
    case tooManyMembers
    /// A member by that name is there twice.
    case duplicate(String)
    /// No member has that name.
    case unknown(String)
    case missing(String)
    case wrongType(String)
}
