/// Which statements the server knows by which name.
///
/// A statement is parsed in the pipeline that executes it first. Until the server has said that it parsed it, the name counts
/// only in front of the same `sync`: an error there may be the reason that it was never parsed. What is executed behind that sync
/// in the meantime is parsed once more under another name.
struct StatementNames {
    enum Use: Hashable {
        case parsed(name: String)
        case unparsed(name: String)
    }

    private struct Entry {
        var name: String
        /// In front of which sync it was sent for parsing; nil once the server has it.
        var segment: UInt64?
    }

    private var entries: [String: Entry] = [:]
    private var count: UInt64 = 0
    /// More texts than this are not a program's own statements; they are parsed anew each time, without a name.
    static let most = 1024

    /// How a text is to be sent in front of the `segment`-th sync.
    mutating func use(_ text: String, in segment: UInt64) -> Use {
        if let entry = self.entries[text], entry.segment == nil || entry.segment == segment {
            return .parsed(name: entry.name)
        }
        guard self.entries.count < Self.most || self.entries[text] != nil else { return .unparsed(name: "") }
        self.count += 1
        let name = "p\(self.count)"
        self.entries[text] = Entry(name: name, segment: segment)
        return .unparsed(name: name)
    }

    mutating func parsed(_ text: String, as name: String) {
        guard !name.isEmpty else { return }
        if let entry = self.entries[text], entry.segment == nil { return }
        self.entries[text] = Entry(name: name, segment: nil)
    }

    /// The server has nothing under that name, or what it has is no longer of use.
    mutating func forget(_ text: String, as name: String) {
        if self.entries[text]?.name == name { self.entries[text] = nil }
    }
}
