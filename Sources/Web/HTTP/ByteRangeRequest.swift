/// Which part of a body a client wants (RFC 9110 §14).
package enum ByteRangeRequest: Hashable, Sendable {
    /// Everything: nothing was asked, or nothing that is understood here, or several parts at once.
    case whole
    /// Answered with 206 and `contentRange`.
    case part(Range<Int>)
    /// Answered with 416 and `contentRange`.
    case unsatisfiable

    /// What the value of `Range` means for a body of so many bytes.
    package init(_ field: String?, length: Int) {
        guard let field, field.utf8.count <= 64, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let parts = field[field.index(after: equals)...].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self = .whole
            return
        }
        switch (Self.number(parts[0]), Self.number(parts[1])) {
        case (.number(let first), .number(let last)) where first <= last:
            self = Self.clipped(from: first, through: last, length: length)
        case (.number(let first), .missing):
            self = Self.clipped(from: first, through: Int.max - 1, length: length)
        case (.missing, .number(let suffix)):
            let isEmpty = suffix == 0 || length == 0
            self = isEmpty ? .unsatisfiable : .part((length - min(suffix, length))..<length)
        case (.number, .number), (.missing, .missing), (.wrong, _), (_, .wrong):
            self = .whole
        }
    }

    /// The value of `Content-Range` in the answer.
    package func contentRange(length: Int) -> String? {
        switch self {
        case .whole: nil
        case .part(let range): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
        case .unsatisfiable: "bytes */\(length)"
        }
    }

    private enum Position {
        case missing
        case number(Int)
        case wrong
    }

    private static func clipped(from first: Int, through last: Int, length: Int) -> ByteRangeRequest {
        first < length ? .part(first..<min(last + 1, length)) : .unsatisfiable
    }

    private static func number(_ text: Substring) -> Position {
        guard !text.isEmpty else { return .missing }
        guard text.utf8.allSatisfy(\.isDigit) else { return .wrong }
        // Beyond what can be counted is beyond the end of every body.
        return .number(min(Int(text) ?? Int.max, Int.max - 1))
    }
}
