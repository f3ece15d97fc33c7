import Arguments
import JSON
import Journal
import Web

/// `parley audit`: what operators and moderators did.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "audit",
        abstract: "List what operators and moderators of a running server did.",
        discussion: """
            Every action on the admin address, and every action by which a moderator uses that power, is one record: \
            who, what, to whom, when, and how it went. An action stays 'begun' where the server ended before it was done.
            """,
        examples: [
            .init("parley audit", "The latest 100 actions."),
            .init("parley audit --after 120 --json", "What was done since record 120, for a program."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Option(help: "Number of records, at most 1000.")
    var limit = 100

    @Option(help: "Only records after this number; default: the latest.")
    var after: Int?

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard (1...1000).contains(self.limit) else { throw ValidationError("--limit must be from 1 to 1000") }
        if let after = self.after, after < 0 { throw ValidationError("--after must not be negative") }
    }

    mutating func run() throws -> ExitCode {
        let after = self.after.map { "&after=\($0)" } ?? ""
        let answer = try self.server.call.send(.get, "/v1/audit?limit=\(self.limit)\(after)")
        if self.server.json {
            print(String(decoding: answer, as: UTF8.self))
        } else {
            AdminTable.print(
                answer, "records", ["number", "time", "actor", "action", "target", "detail", "outcome"],
                orElse: "Nothing was done so far.", times: ["time"])
        }
        return .success
    }
}
