/// The help for one command, asked for by its words: `help serve`.
package enum HelpRequest {
    /// - Parameter words: the command below the root; none for the root itself.
    package static func text(
        for words: [String],
        in root: any ParsableCommand.Type,
        width: Int = 80
    ) throws(CommandFailure) -> String {
        var node = CommandNode(root)
        for word in words {
            // `users kick`: what one of its arguments may be is explained with the command.
            if node.positionals.contains(where: { $0.allValues.contains(word) }) { break }
            guard let next = node.descendant([word]) else {
                let near = NearestName.hint(for: word, among: node.children.compactMap(\.path.last))
                throw CommandFailure("unknown command '\(word)'\(near)", exitCode: .usage)
            }
            node = next
        }
        return HelpText(node, width: width).text
    }
}
