internal import Clustering

/// What proves that an entry of the ledger is a node's. The database puts a number and the time in front of it, and into a hello whether it is
/// the first; these are its own words.
struct EntrySeal {
    private let seal: NodeSeal

    private static let channel = "the order of all changes"

    init(_ seal: NodeSeal) { self.seal = seal }

    func sealed(_ text: String) -> String { self.seal.seal(text, on: Self.channel) }

    /// What stands behind the text in `sealed`.
    func code(of text: String) -> String { String(self.sealed(text).dropFirst(text.count + 1)) }

    /// The entry without its seal; nil where it is not believed.
    func opened(_ payload: String) -> String? {
        let parts = payload.split(separator: " ", maxSplits: 2)
        guard parts.count == 3 else { return nil }
        let text = String(parts[2])
        if let open = self.seal.open(text, on: Self.channel) { return "\(parts[0]) \(parts[1]) \(open)" }
        let words = text.split(separator: " ")
        guard words.count >= 4, self.isHello(words) || Self.isEnd(words) else { return nil }
        return payload
    }

    /// `NODE LIFE hello [first] CODE`.
    private func isHello(_ words: [Substring]) -> Bool {
        guard words[2] == "hello", words.count == 4 || (words.count == 5 && words[3] == "first") else { return false }
        return self.code(of: "\(words[0]) \(words[1]) hello") == words[words.count - 1]
    }

    /// `NODE LIFE gone NODE LIFE`: the database has seen that the former run of a node is over.
    private static func isEnd(_ words: [Substring]) -> Bool {
        words.count == 5 && words[2] == "gone" && words[3] == words[0] && words[4] == words[1]
    }
}
