extension String {
    /// The words in lines of at most `width` letters; a longer word has a line of its own. Empty lines
    /// between paragraphs stay.
    func wrapped(to width: Int) -> [String] {
        self.split(separator: "\n", omittingEmptySubsequences: false).flatMap { Self.wrap($0, to: width) }
    }

    private static func wrap(_ paragraph: Substring, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in paragraph.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.count + 1 + word.count <= width {
                line += " \(word)"
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return lines + [line]
    }

    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}
