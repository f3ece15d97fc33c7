import Arguments
import Testing
import Vocabulary
import Web

@testable import parley

@Suite("The admin commands")
struct AdminCommandTests {
    @Test("show a list with aligned columns, whatever is missing")
    func table() {
        let answer = Array(#"{"users":[{"user":"alice","name":"Ada ☎","connections":2},{"user":"b"}]}"#.utf8)
        let rows = AdminTable.rows(answer, "users", ["user", "name", "connections"])
        #expect(AdminTable.aligned(rows) == ["alice  Ada ☎  2", "b"])
        #expect(AdminTable.rows(Array("nonsense".utf8), "users", ["user"]).isEmpty)
    }

    @Test(
        "refuse what cannot be meant",
        arguments: [
            (["users", "kick"], "kick: name a user by id, as 'parley users' lists them"),
            (["users", "ban", "no such id"], "ban: name a user by id, as 'parley users' lists them"),
            (["users", "bann", "x"], "bann"),
            (["users", "ban", "x", "--for", "10ms"], "--for must be at least 1s"),
            (["webhooks", "list", "c"], "list takes no conversation"),
            (["webhooks", "replay", "a b"], "'a b' is not a valid conversation id"),
            (["webhooks", "replay", "c", "--after", "-1"], "--after"),
            (["token", "a b", "--app", "shop:s"], "'a b' is not a valid user id"),
            (["token", "alice", "--app", "shop"], "--app"),
            (["token", "alice", "--app", "shop:ed25519:c2hvcnQ="], "--app"),
            (["token", "alice", "--app", "shop:s", "--life", "0s"], "--life must be greater than zero"),
        ]
    )
    func refusals(words: [String], message: String) {
        let outcome = CommandParser(ParleyCommand.self, environment: [:], readFile: { _ in "" }).parse(words)
        guard case .refuse(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(error.message.contains(message))
    }

    @Test("say so when no server answers")
    func nobodyThere() {
        let error = #expect(throws: CommandFailure.self) {
            _ = try AdminCall(address: .init(.loopback, port: 1), token: nil).send(.get, "/v1/users")
        }
        #expect(error?.exitCode == .unavailable)
        #expect(error?.description.hasPrefix("no server at 127.0.0.1:1: ") == true)
    }

    @Test(
        "do not sign with a secret that could be guessed, nor with half a key",
        arguments: ["shop:secret", "shop:ed25519:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"])
    func weakSecret(app: String) throws {
        let parser = CommandParser(ParleyCommand.self, environment: [:], readFile: { _ in "" })
        let words = ["token", "alice", "--app", app]
        guard case .run(var command as TokenCommand, _) = parser.parse(words) else {
            return #expect(Bool(false), "not parsed")
        }
        let error = #expect(throws: CommandFailure.self) { _ = try command.run() }
        #expect(error?.exitCode == .usage)
    }
}
