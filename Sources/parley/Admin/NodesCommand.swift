import Arguments
import Vocabulary
import Web

/// `parley nodes`: which servers share a database, and one of them sent to its end.
struct NodesCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, drain
    }

    static let configuration = CommandConfiguration(
        name: "nodes",
        abstract: "List the servers that share a database, and stop one of them.",
        discussion: """
            The server at the admin address is asked; it is the one marked 'this'. 'shared' says whether a server has \
            its part in presence, rooms and calls at the moment. 'drain' has another one send its clients to the rest \
            and end, as SIGTERM does.
            """,
        examples: [
            .init("parley nodes", "Which servers there are, and how many connections each has."),
            .init("parley nodes drain Zk3…", "Send the clients of one to the others, and stop it."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "What to do.")
    var action = Action.list

    @Argument(help: "Name of the server; required by drain.")
    var node: String?

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        guard self.action == .drain else { return }
        guard let node = self.node, RandomToken(node) != nil else {
            throw ValidationError("drain: name a server, as 'parley nodes' lists them")
        }
    }

    mutating func run() throws -> ExitCode {
        switch self.action {
        case .list: try self.list()
        case .drain: _ = try self.server.call.send(.post, "/v1/nodes/\(self.node ?? "")/drain")
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/nodes")
        if self.server.json { return print(PlainText.json(String(decoding: answer, as: UTF8.self))) }
        AdminTable.print(
            answer, "nodes", ["node", "address", "connections", "shared", "this"],
            orElse: "This server is alone: it keeps its messages in a file.")
    }
}
