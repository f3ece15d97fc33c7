import Arguments
import Vocabulary
import Web

/// `parley rooms`: which rooms there are, who may come in, and who has to go.
struct RoomsCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, protect, open, kick, ban
    }

    static let configuration = CommandConfiguration(
        name: "rooms",
        abstract: "List the rooms of a running server, restrict who may join, and remove users.",
        discussion: """
            'protect' makes a room ask for a password, or lets in only people whom its members admit; 'open' takes \
            that back. People who are in the room stay. 'kick' removes a user from one room on all their devices; 'ban' \
            also keeps them out. Protection and bans end with the room, when the last member leaves.
            """,
        examples: [
            .init("parley rooms", "Which rooms there are."),
            .init("parley rooms protect lesson-7 --by-invitation", "From now on members let others in."),
            .init("parley rooms ban lesson-7 M4XIcP_At5gro2LG8Wxs", "This user leaves the room for good."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "What to do.")
    var action = Action.list

    @Argument(help: "Name of the room; required by all actions but list.")
    var room: String?

    @Argument(help: "User id; required by kick and ban.")
    var user: String?

    @OptionGroup var roomKey: RoomKeyOptions
    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard self.action != .list else { return }
        guard let room = self.room, RoomName(room) != nil else {
            throw ValidationError("\(self.action.rawValue): name a room, as 'parley rooms' lists them")
        }
        if self.action == .kick || self.action == .ban {
            guard let user = self.user, UserID(user) != nil else {
                throw ValidationError("\(self.action.rawValue): name a user by id, as 'parley users' lists them")
            }
        }
        if self.action == .protect, !self.roomKey.isGiven {
            throw ValidationError("protect: say --room-password or --by-invitation")
        }
    }

    mutating func run() throws -> ExitCode {
        let path = "/v1/rooms/\(self.room ?? "")/access"
        switch self.action {
        case .list: try self.list()
        case .protect:
            _ = try self.server.call.send(.put, path, body: self.roomKey.json)
        case .open: _ = try self.server.call.send(.delete, path)
        case .kick, .ban:
            let query = self.action == .ban ? "?ban=true" : ""
            _ = try self.server.call.send(.delete, "/v1/rooms/\(self.room ?? "")/users/\(self.user ?? "")\(query)")
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/rooms")
        if self.server.json { return print(PlainText.json(String(decoding: answer, as: UTF8.self))) }
        AdminTable.print(answer, "rooms", ["room", "members", "access"], orElse: "No rooms are open.")
    }
}
