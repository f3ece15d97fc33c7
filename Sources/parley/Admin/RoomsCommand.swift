import Arguments
import Vocabulary
import Web

/// `parley rooms`: which rooms there are.
struct RoomsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "rooms",
        abstract: "List the rooms of a running server.",
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."),
        ]
    )

    @OptionGroup var server: AdminOptions

    mutating func run() throws -> ExitCode {
        let answer = try self.server.call.send(.get, "/v1/rooms")
        if self.server.json {
            print(PlainText.json(String(decoding: answer, as: UTF8.self)))
        } else {
            AdminTable.print(answer, "rooms", ["room", "members"], orElse: "No rooms are open.")
        }
        return .success
    }
}
