import Arguments
import Client
import Vocabulary

/// `parley group`
struct GroupCommand: CommandGroup {
    static let configuration = CommandConfiguration(
        name: "group",
        abstract: "Create groups, add people to them and leave them.",
        subcommands: [GroupCreateCommand.self, GroupAddCommand.self, GroupLeaveCommand.self]
    )

    static let exitCodes: [CommandConfiguration.DocumentedExit] = [
        .init(.success, "Done."), .init(.failure, "The server refused, or nobody has one of the names."),
        .init(.usage, "The command line is wrong."), .init(.unavailable, "No server answers."),
    ]
}

/// Somebody, as `@name`.
struct PersonArgument: Hashable, Sendable, ExpressibleByArgument {
    let name: String

    init?(argument: String) {
        let name = String(argument.dropFirst())
        guard argument.hasPrefix("@"), PersonSearch.isName(name) else { return nil }
        self.name = name
    }

    static var valueName: String? { "@NAME" }
    static var expectation: String { "@ and a person's name or id" }
    var argumentDescription: String { "@\(self.name)" }
}

extension ClientOptions {
    /// A group belongs to somebody who can come back.
    func demandIdentity() throws(ValidationError) {
        guard self.token == nil, self.alias == nil else { return }
        throw ValidationError("say who you are with --as NAME or --token TOKEN")
    }
}

extension ConversationID: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "GROUP" }
    package static var expectation: String { "a conversation's id" }
    package var argumentDescription: String { self.text }
}

extension ParleyClient {
    fileprivate func users(_ people: [PersonArgument]) async throws(CommandFailure) -> [UserID] {
        var users: [UserID] = []
        for person in people { users.append(try await self.person(person.name).user) }
        return users
    }
}

/// `parley group create`
struct GroupCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "create",
        abstract: "Create a group.",
        discussion: "Prints the id of the group, which the other commands take.",
        examples: [
            .init(
                "parley group create 'Build team' @bob @carol --id team --as alice",
                "Then: parley chat team --as alice.")
        ],
        exitCodes: GroupCommand.exitCodes
    )

    @Argument(help: "Title of the group.")
    var title: String

    @Argument(help: ArgumentHelp("Members besides yourself.", valueName: "@NAME"))
    var members: [PersonArgument]

    @Option(help: ArgumentHelp("Id for the group; default: a random one.", valueName: "GROUP"))
    var id: ConversationID?

    @OptionGroup var client: ClientOptions

    func validate() throws(ValidationError) {
        try self.client.demandIdentity()
        if DisplayName(self.title) == nil { throw ValidationError("'\(self.title)' is not a valid title") }
    }

    mutating func run() throws -> ExitCode {
        let (title, members, id) = (DisplayName(self.title), self.members, self.id)
        try self.client.run { client throws(CommandFailure) in
            let users = try await client.users(members)
            let outcome = try await client.asking { client throws(ClientError) in
                try await client.createGroup(titled: title, with: users, as: id)
            }
            print(outcome.conversation.text)
        }
        return .success
    }
}

/// `parley group add`
struct GroupAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "add",
        abstract: "Add people to a group.",
        examples: [.init("parley group add team @dora --as alice", "Dora is in the team now.")],
        exitCodes: GroupCommand.exitCodes
    )

    @Argument(help: "Id of the group.")
    var group: ConversationID

    @Argument(help: ArgumentHelp("Who is added.", valueName: "@NAME"), atLeastOne: true)
    var members: [PersonArgument]

    @OptionGroup var client: ClientOptions

    func validate() throws(ValidationError) { try self.client.demandIdentity() }

    mutating func run() throws -> ExitCode {
        let (group, members) = (self.group, self.members)
        try self.client.run { client throws(CommandFailure) in
            let users = try await client.users(members)
            _ = try await client.asking { client throws(ClientError) in try await client.invite(users, to: group) }
        }
        return .success
    }
}

/// `parley group leave`
struct GroupLeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "leave",
        abstract: "Leave a group.",
        examples: [.init("parley group leave team --as dora", "Dora is not in the team any more.")],
        exitCodes: GroupCommand.exitCodes
    )

    @Argument(help: "Id of the group.")
    var group: ConversationID

    @OptionGroup var client: ClientOptions

    func validate() throws(ValidationError) { try self.client.demandIdentity() }

    mutating func run() throws -> ExitCode {
        let group = self.group
        try self.client.run { client throws(CommandFailure) in
            _ = try await client.asking { client throws(ClientError) in try await client.leave(group) }
        }
        return .success
    }
}
