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

    @Argument(help: "What to do.")
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
        case .kick:
            let isOnline = try self.isOnline()
            try self.send(
                .post, "/kick",
                isOnline ? "is signed out everywhere" : "is not online; old sign-ins are void all the same")
        case .unban: try self.send(.post, "/unban", "may sign in again")
        case .delete: try self.send(.delete, "", "is deleted")
        case .ban:
            let seconds = self.duration.components.seconds
            try self.send(.post, "/ban?seconds=\(seconds)", "cannot sign in for \(self.duration.argumentDescription)")
        }
        return .success
    }

    private func send(_ method: HTTPMethod, _ path: String, _ outcome: String) throws(CommandFailure) {
        let user = self.user ?? ""
        let answer = try self.server.call.send(method, "/v1/users/\(user)\(path)")
        let text = self.server.json ? PlainText.json(String(decoding: answer, as: UTF8.self)) : "\(user) \(outcome)."
        Terminal.print(text)
    }

    private func isOnline() throws(CommandFailure) -> Bool {
        let answer = try self.server.call.send(.get, "/v1/users")
        return AdminTable.rows(answer, "users", ["user"]).contains([self.user ?? ""])
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/users")
        if self.server.json { return print(PlainText.json(String(decoding: answer, as: UTF8.self))) }
        AdminTable.print(answer, "users", ["user", "name", "connections"], orElse: "Nobody is online.")
    }
}
