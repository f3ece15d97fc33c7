import Arguments
import Vocabulary
import Web

/// `parley moderators`: who moderates the server.
struct ModeratorsCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, add, remove
    }

    static let configuration = CommandConfiguration(
        name: "moderators",
        abstract: "List, add and remove the moderators of a running server.",
        discussion: """
            In every group and room a moderator may remove members, silence them and recall their messages, whoever \
            owns it. What a moderator does with this right is recorded in 'parley audit'.
            """,
        examples: [
            .init("parley moderators", "Who moderates the server."),
            .init("parley moderators add M4XIcP_At5gro2LG8Wxs", "Name this user a moderator."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "What to do.")
    var action = Action.list

    @Argument(help: "User id; required by add and remove.")
    var user: String?

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard self.action != .list else { return }
        guard let user = self.user, UserID(user) != nil else {
            throw ValidationError("\(self.action.rawValue): name a user by id, as 'parley users' lists them")
        }
    }

    mutating func run() throws -> ExitCode {
        switch self.action {
        case .list: try self.list()
        case .add: _ = try self.server.call.send(.put, "/v1/moderators/\(self.user ?? "")")
        case .remove: _ = try self.server.call.send(.delete, "/v1/moderators/\(self.user ?? "")")
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/moderators")
        if self.server.json { return print(String(decoding: answer, as: UTF8.self)) }
        AdminTable.print(
            answer, "moderators", ["user", "name", "since"], orElse: "There are no moderators.", times: ["since"])
    }
}
