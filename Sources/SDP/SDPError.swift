/// Where a session description stopped making sense, and why.
package struct SDPError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// More bytes, lines, sections, or bytes in one line than the limits allow.
        case tooMuch
        /// The line is no letter with `=` behind it, or holds what no line may.
        case badLine
        /// The description or the line is not UTF-8.
        case notUTF8
        /// A line of this letter has to stand here, or before here.
        case missing(Unicode.Scalar)
        /// The line has the right letter and says something its grammar does not know.
        case malformed(Unicode.Scalar)
        /// An attribute both sides have to understand alike says something its grammar does not know.
        case badAttribute(String)
        /// Two sections go by one name (RFC 5888 §4).
        case sameMediaID
    }

    package let reason: Reason
    /// Of the first byte of the line, counted from the beginning of the description.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        switch self.reason {
        case .tooMuch: "the description is too long at byte \(self.offset)"
        case .badLine: "no line of a description at byte \(self.offset)"
        case .notUTF8: "not UTF-8 at byte \(self.offset)"
        case .missing(let letter): "the line \(letter)= is missing before byte \(self.offset)"
        case .malformed(let letter): "a malformed line \(letter)= at byte \(self.offset)"
        case .badAttribute(let name): "a malformed attribute \(name) at byte \(self.offset)"
        case .sameMediaID: "a second section of the same name at byte \(self.offset)"
        }
    }
}

/// How much a stranger's description may hold. A call of a hundred people fits, with video.
package struct SDPLimits: Hashable, Sendable {
    package var bytes = 512 << 10
    package var lineBytes = 8 << 10
    package var lines = 20_000
    package var media = 512

    package init() {}
}
