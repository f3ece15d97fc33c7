/// Where bytes stopped making sense, and why.
package struct ByteError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The input ended before the value did.
        case truncated
        /// A count, length or number is outside of what its field may hold.
        case outOfRange
        /// A byte stands where the grammar has no place for it.
        case unexpected(UInt8)
        /// The text is not what its encoding promises.
        case malformed
    }

    package let reason: Reason
    /// Counted from the first byte of what was being read.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        switch self.reason {
        case .truncated: "the input ends too early, at byte \(self.offset)"
        case .outOfRange: "a number is out of range at byte \(self.offset)"
        case .unexpected(let byte): "unexpected byte 0x\(Hex.encode([byte])) at byte \(self.offset)"
        case .malformed: "malformed input at byte \(self.offset)"
        }
    }
}
