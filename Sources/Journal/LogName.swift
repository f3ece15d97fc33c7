/// What happened, as a word that programs can look for: `serve.listening`.
///
/// Each room lists its own in an extension, so every event that can appear is written down somewhere.
package struct LogName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Lower-case words, separated by dots.
    package init(_ text: StaticString) {
        let description = text.description
        precondition(description.isDottedWords, "\(description) is no name for a log event")
        self.description = description
    }
}

/// The name of one field of a log event.
package struct LogKey: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: StaticString) {
        let description = text.description
        precondition(
            description.isWord && !Self.reserved.contains(description),
            "\(description) is no name for a field of a log event"
        )
        self.description = description
    }

    /// What every line carries anyway.
    private static let reserved: Set<String> = ["time", "level", "event", "message"]
}

/// The keys that more than one room uses.
extension LogKey {
    package static let address = LogKey("address")
    package static let bytes = LogKey("bytes")
    package static let connection = LogKey("connection")
    package static let count = LogKey("count")
    package static let duration = LogKey("duration")
    package static let error = LogKey("error")
    package static let file = LogKey("file")
    package static let method = LogKey("method")
    package static let path = LogKey("path")
    package static let peer = LogKey("peer")
    package static let port = LogKey("port")
    package static let reason = LogKey("reason")
    package static let room = LogKey("room")
    package static let session = LogKey("session")
    package static let signal = LogKey("signal")
    package static let status = LogKey("status")
    package static let trace = LogKey("trace")
    package static let user = LogKey("user")
    package static let version = LogKey("version")
}

extension String {
    /// A letter, then letters, digits and underscores, all of them lower-case ASCII.
    var isWord: Bool {
        guard let first = self.utf8.first, first.isLowercaseLetter else { return false }
        return self.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    fileprivate var isDottedWords: Bool {
        self.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { String($0).isWord }
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
