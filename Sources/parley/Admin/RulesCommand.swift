import Arguments
import Conversing
import Web

/// `parley rules`: about which words something is done.
struct RulesCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, add, remove
    }

    enum Consequence: String, CaseIterable, Sendable, ExpressibleByArgument {
        case refuse, mask, flag
    }

    static let configuration = CommandConfiguration(
        name: "rules",
        abstract: "List, add and remove words that a running server refuses, masks or reports.",
        discussion: """
            A message, a group's name or a person's name with such a word is refused (refuse); a message is shown \
            with stars in the word's place (mask), or sent and reported (flag). Words are found in upper and lower \
            case, and inside other words.
            """,
        examples: [
            .init("parley rules", "Which words there are."),
            .init("parley rules add darn --action mask", "Put stars in its place."),
            .init("parley rules add cat --action refuse --whole", "Refuse it, but not 'category'."),
            .init("parley rules remove darn", "Remove the rule."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "What to do.")
    var action = Action.list

    @Argument(help: "Word, or some words with spaces between them; required by add and remove.")
    var word: String?

    @Option(name: .customLong("action"), help: "What is done about the word.")
    var consequence = Consequence.refuse

    @Flag(help: "Only where no letter or digit stands beside the word.")
    var whole = false

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard self.action != .list else { return }
        guard let word = self.word, WordRule.compared(word) != nil else {
            throw ValidationError(
                "\(self.action.rawValue): name a word of 1 to \(WordRule.maximumLength) characters that can be seen")
        }
    }

    mutating func run() throws -> ExitCode {
        let place = "/v1/rules?word=\(PercentCoding.encode(self.word ?? ""))"
        switch self.action {
        case .list: try self.list()
        case .add:
            _ = try self.server.call.send(.put, "\(place)&action=\(self.consequence.rawValue)&whole=\(self.whole)")
        case .remove: _ = try self.server.call.send(.delete, place)
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/rules")
        if self.server.json { return print(String(decoding: answer, as: UTF8.self)) }
        AdminTable.print(answer, "rules", ["word", "action", "whole"], orElse: "Nothing is done about any word.")
    }
}
