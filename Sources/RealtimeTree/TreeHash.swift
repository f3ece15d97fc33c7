internal import Bytes
internal import Hashing

extension TreeNode {
    /// By which a client says that it knows what is here, or thinks so; nothing has the empty text.
    package var hash: String { self.isNothing ? "" : self.hashOfSomething }

    private var hashOfSomething: String {
        var text = self.priority.map { "priority:\($0.hashText):" } ?? ""
        switch self.content {
        case .nothing: return ""
        case .leaf(let scalar): text += scalar.hashText
        case .children(let children):
            for key in self.keysByPriority(children) {
                text += ":\(key.text):\((children[key] ?? .nothing).hash)"
            }
        }
        return Base64.encode(Digest.sha1.hash(text))
    }

    private func keysByPriority(_ children: SortedMap<TreeKey, TreeNode>) -> [TreeKey] {
        guard self.prioritized > 0 else { return children.map(\.key) }
        return children.map { TreeOrder.Entry(.priority, $0.key, $0.value) }.sorted().map(\.key)
    }
}

extension TreeScalar {
    fileprivate var hashText: String {
        switch self {
        case .bool(let value): "boolean:\(value)"
        case .text(let text): "string:\(text)"
        case .number(let number): "number:\(number.hex)"
        }
    }
}

extension Double {
    /// The sixteen digits of its bits.
    var hex: String {
        let digits = String(self.bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
