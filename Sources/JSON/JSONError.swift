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
