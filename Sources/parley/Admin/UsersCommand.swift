import Arguments
import JSON
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

/// `parley rooms`: which rooms there are.
struct RoomsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "rooms",
        abstract: "See the rooms of a running server.",
        exitCodes: [
            .init(.success, "It is done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers there."),
        ]
    )

    @OptionGroup var server: AdminOptions

    mutating func run() throws -> ExitCode {
        let answer = try self.server.call.send(.get, "/v1/rooms")
        if self.server.json {
            print(String(decoding: answer, as: UTF8.self))
        } else {
            AdminTable.print(answer, "rooms", ["room", "members"])
        }
        return .success
    }
}

/// A list of objects as a person reads it: one a line, the columns aligned.
enum AdminTable {
    static func print(_ answer: [UInt8], _ list: String, _ columns: [String]) {
        for row in self.aligned(self.rows(answer, list, columns)) { Swift.print(row) }
    }

    static func rows(_ answer: [UInt8], _ list: String, _ columns: [String]) -> [[String]] {
        let reader = JSONReader(answer.span)
        guard let object = try? reader.document(), let list = reader.member(list, of: object) else { return [] }
        var rows: [[String]] = []
        var elements = reader.elements(of: list)
        while let element = elements.next() {
            rows.append(columns.map { self.text(of: $0, in: element, answer) })
        }
        return rows
    }

    private static func text(of column: String, in row: JSONValue, _ answer: [UInt8]) -> String {
        let reader = JSONReader(answer.span)
        guard let value = reader.member(column, of: row) else { return "" }
        return reader.string(value) ?? reader.integer(value).map(String.init) ?? ""
    }

    static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingTail()
        }
    }
}

extension String {
    fileprivate func trimmingTail() -> String {
        String(self.reversed().drop { $0 == " " }.reversed())
    }
}
