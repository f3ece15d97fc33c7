import Arguments
import Client
import Vocabulary

/// `parley history`
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "history",
        abstract: "Show earlier messages of a conversation.",
        examples: [
            .init("parley history @alice --token $TOKEN", "The latest twenty."),
            .init("parley history kitchen --limit 1000 --json --token $TOKEN", "One JSON object a line, for programs."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers."), .init(.failure, "The server refused, or nobody has that name."),
        ]
    )

    @Argument(help: "Conversation, or @ and a person's name or id.")
    var target: ConversationArgument

    @Option(help: "Maximum number of entries.")
    var limit = 20

    @Option(help: "Only entries before this number.")
    var before: Int?

    @Flag(help: "Print the entries as JSON, one a line.")
    var json = false

    @OptionGroup var client: ClientOptions

    func validate() throws(ValidationError) {
        if self.limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    mutating func run() throws -> ExitCode {
        let (target, json, limit) = (self.target, self.json, self.limit)
        let before = self.before.map { UInt64(clamping: $0) }
        try self.client.run { client throws(CommandFailure) in
            guard let id = try await client.find(try await client.resolve(target)) else {
                return Terminal.complain("No messages yet.")
            }
            let entries = try await client.latest(limit, before: before, of: id)
            if json { return entries.forEach { print(PlainText.json("\($0.json)")) } }
            let text = ChatText(names: await client.names(in: entries))
            for entry in entries { text.lines(of: entry).forEach { print($0) } }
        }
        return .success
    }
}

extension ParleyClient {
    /// What those are called who speak; unknown users go by their id.
    fileprivate func names(in entries: [ChatEntry]) async -> [UserID: String] {
        var names: [UserID: String] = [:]
        var users = Array(Set(entries.flatMap { [$0.from] + $0.named }))[...]
        while !users.isEmpty, let profiles = try? await self.profiles(of: Array(users.prefix(100))) {
            for profile in profiles { names[profile.user] = profile.name }
            users = users.dropFirst(100)
        }
        return names
    }

    /// As many of the latest entries as are wanted, page by page, in their order.
    fileprivate func latest(
        _ wanted: Int, before: UInt64?, of id: ConversationID
    ) async throws(CommandFailure) -> [ChatEntry] {
        var pages: [[ChatEntry]] = []
        var (left, place, hasMore) = (wanted, before, true)
        while left > 0, hasMore {
            let (limit, number) = (min(left, 200), place)
            let page = try await self.asking { client throws(ClientError) in
                try await client.history(of: id, before: number, limit: limit)
            }
            pages.append(page.entries)
            left -= page.entries.count
            place = page.entries.first?.number
            hasMore = page.hasMore && place != nil
        }
        return pages.reversed().flatMap(\.self)
    }
}
