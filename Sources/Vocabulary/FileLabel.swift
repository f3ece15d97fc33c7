/// What a user calls a file: shown to people, and never a name on a disk of ours. 1 to 128 characters.
package struct FileLabel: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 128
    package static let maximumBytes = 512

    /// Takes what can be shown of any text, without folders in front; nil when nothing is left.
    package init?(cleaning text: String) {
        let tail = text.suffix { $0 != "/" && $0 != "\\" }
        var label = String(String.UnicodeScalarView(tail.unicodeScalars.prefix(4096).filter(Self.isAllowed)))
        label = String(label.drop(while: \.isWhitespace).prefix(Self.maximumLength))
        while label.last?.isWhitespace == true || label.utf8.count > Self.maximumBytes { label.removeLast() }
        guard !label.isEmpty, label != ".", label != ".." else { return nil }
        self.text = label
    }

    /// As in `DisplayName`: nothing that hides, breaks lines or turns their direction.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: scalar.value == 0x200D
        default: true
        }
    }
}

extension StringProtocol {
    fileprivate func suffix(while isWanted: (Character) -> Bool) -> SubSequence {
        guard let last = self.lastIndex(where: { !isWanted($0) }) else { return self[...] }
        return self[self.index(after: last)...]
    }
}
