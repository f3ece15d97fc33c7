/// What is wrong with something that a client sent.
package enum TreeError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON
    case wrongKey(String)
    case wrongPath(String)
    case wrongPriority
    case wrongServerValue
    case wrongValue(String)
    case wrongQuery(String)
    case conflictingPaths
    case tooDeep
    case tooBig(String)

    package var description: String {
        switch self {
        case .notJSON: "Invalid data; couldn't parse JSON object, array, or value."
        case .wrongKey(let key):
            "Invalid data; couldn't parse key '\(key)'. A key has 1 to \(TreeKey.maximumBytes) bytes without . $ # [ ] / and control characters."
        case .wrongPath(let path): "Invalid path: '\(path)'"
        case .wrongPriority: "Invalid data; a priority must be a number or a text."
        case .wrongServerValue: "Invalid data; a server value must be 'timestamp' or an increment by a number."
        case .wrongValue(let why): "Invalid data; \(why)"
        case .wrongQuery(let why): why
        case .conflictingPaths: "Invalid data; one of the paths contains another."
        case .tooDeep: "Invalid data; it is deeper than \(TreeLimits.depth) levels."
        case .tooBig(let what): "Data requested exceeds the maximum size: \(what)"
        }
    }
}

/// How much the tree takes. The vendor's limits are larger for writes.
package enum TreeLimits {
    /// Keys from the root to a value.
    package static let depth = 32
    /// All keys of a path with their slashes, so that any database can have it as a key.
    package static let pathBytes = 2000
    /// Of one text.
    package static let textBytes = 4 << 20
    /// Values in one write.
    package static let leaves = 50_000
    /// Of one write.
    package static let writeBytes = 8 << 20
    /// Children that are put into an order for a query.
    package static let sortedChildren = 100_000
    /// Of one answer.
    package static let answerBytes = 64 << 20
}
