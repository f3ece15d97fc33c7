import Arguments
import Vocabulary
import Web

/// `parley users`: who is online, and what is to be done about them.
struct UsersCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, kick, ban, unban, delete
    }

    static let configuration = CommandConfiguration(
        name: "users",
        abstract: "List online users of a running server; kick, ban or delete users.",
        discussion: """
            A kick signs a user out everywhere: their tokens become invalid; they may sign in again. A \
            ban also prevents signing in for a time. Both reach open connections at once. 'delete' removes \
            an account for good: its user leaves all groups, and what they said stays without their name.
            """,
        examples: [
            .init("parley users", "Who is online."),
            .init("parley users ban M4XIcP_At5gro2LG8Wxs --for 1h", "Ban this user for one hour."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "Action; default: list.")
    var action = Action.list

    @Argument(help: "User id; required by all actions but list.")
    var user: String?

    @Option(name: .customLong("for"), help: "How long a ban lasts.")
    var duration = Duration.seconds(86_400)

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard self.action != .list else { return }
        if self.action == .ban, self.duration < .seconds(1) {
            throw ValidationError("--for must be at least 1s")
        }
        guard let user = self.user, UserID(user) != nil else {
            throw ValidationError("\(self.action.rawValue): name a user by id, as 'parley users' lists them")
        }
    }

    mutating func run() throws -> ExitCode {
        switch self.action {
        case .list: try self.list()
        case .kick, .unban: _ = try self.server.call.send(.post, "/v1/users/\(self.user ?? "")/\(self.action.rawValue)")
        case .delete: _ = try self.server.call.send(.delete, "/v1/users/\(self.user ?? "")")
        case .ban:
            let seconds = self.duration.components.seconds
            _ = try self.server.call.send(.post, "/v1/users/\(self.user ?? "")/ban?seconds=\(seconds)")
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/users")
        if self.server.json { return print(PlainText.json(String(decoding: answer, as: UTF8.self))) }
        AdminTable.print(answer, "users", ["user", "name", "connections"])
    }
}
