import Arguments
import Vocabulary
import Web

/// `parley users`: who is online, and what is to be done about them.
struct UsersCommand: ParsableCommand {
    enum Deed: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, kick, ban, unban
    }

    static let configuration = CommandConfiguration(
        name: "users",
        abstract: "See who is online on a running server; send users away.",
        discussion: """
            A kick signs a user out everywhere: their tokens are worth nothing any more, and they may sign in anew. A \
            ban keeps them out for a while. Both reach open connections at once.
            """,
        examples: [
            .init("parley users", "Who is online."),
            .init("parley users ban M4XIcP_At5gro2LG8Wxs --for 1h", "Nobody of that id for an hour."),
        ],
        exitCodes: [
            .init(.success, "It is done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers there."), .init(.failure, "The server did not do it."),
        ]
    )

    @Argument(help: "What to do.")
    var deed = Deed.list

    @Argument(help: "Whom to do it to.")
    var user: String?

    @Option(name: .customLong("for"), help: "How long a ban lasts.")
    var duration = Duration.seconds(86_400)

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard self.deed != .list else { return }
        if self.deed == .ban, self.duration < .seconds(1) {
            throw ValidationError("--for: a ban lasts a second or more")
        }
        guard let user = self.user, UserID(user) != nil else {
            throw ValidationError("\(self.deed.rawValue): name a user by id, as 'parley users' lists them")
        }
    }

    mutating func run() throws -> ExitCode {
        switch self.deed {
        case .list: try self.list()
        case .kick, .unban: _ = try self.server.call.send(.post, "/v1/users/\(self.user ?? "")/\(self.deed.rawValue)")
        case .ban:
            let seconds = self.duration.components.seconds
            _ = try self.server.call.send(.post, "/v1/users/\(self.user ?? "")/ban?seconds=\(seconds)")
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/users")
        if self.server.json { return print(String(decoding: answer, as: UTF8.self)) }
        AdminTable.print(answer, "users", ["user", "name", "connections"])
    }
}
