import Arguments
import Client
import Vocabulary

/// A conversation, or somebody as a command line names them.
enum ConversationArgument: Hashable, Sendable, ExpressibleByArgument {
    case conversation(ConversationID)
    case person(String)

    init?(argument: String) {
        if argument.hasPrefix("@") {
            let name = String(argument.dropFirst())
            guard PersonSearch.isName(name) else { return nil }
            self = .person(name)
        } else {
            guard let id = ConversationID(argument) else { return nil }
            self = .conversation(id)
        }
    }

    static var valueName: String? { "CONVERSATION|@NAME" }
    static var expectation: String { "a conversation's id, or @ and a person's name or id" }
    var argumentDescription: String {
        switch self {
        case .conversation(let id): id.text
        case .person(let name): "@\(name)"
        }
    }
}

/// Who is meant by `@name`: the same in every command.
///
/// An id; or else the name somebody has registered with, whether they are here or not, since anybody may call themselves
/// the same; or else what somebody is called who is online or was talked with, if it is only one.
struct PersonSearch {
    struct Person: Hashable, Sendable {
        let user: UserID
        /// What they are called.
        let name: String
    }

    /// Nobody, or several, with words about it.
    enum Failure: Error, Hashable, Sendable {
        case nobody(String)
        case several(String)

        var words: String {
            switch self {
            case .nobody(let words), .several(let words): words
            }
        }
    }

    private static let maximumNamed = 10
    private let client: ParleyClient

    init(_ client: ParleyClient) { self.client = client }

    static func isName(_ text: String) -> Bool { UserID(text) != nil || DisplayName(text) != nil }

    func find(_ name: String) async throws(CommandFailure) -> Result<Person, Failure> {
        let everybody = try await self.client.asking { client throws(ClientError) in
            try await client.watchEverybody()
        }
        try? await self.client.unwatchEverybody()
        if let user = UserID(name), let found = try await self.known(user, among: everybody) { return .success(found) }
        var called = everybody.filter { $0.name == name && $0.isOnline }.map(\.user)
        for peer in try await self.peers() where peer.name == name && !called.contains(peer.user) {
            called.append(peer.user)
        }
        if let only = called.first, called.count == 1 { return .success(Person(user: only, name: name)) }
        guard called.isEmpty else {
            let ids = called.prefix(Self.maximumNamed).map { "@\($0.text)" }.joined(separator: ", ")
            return .failure(.several("several people are called \(name); say which one: \(ids)"))
        }
        return .failure(.nobody(try await self.words(about: name, everybody)))
    }

    private func known(_ user: UserID, among everybody: [Presence]) async throws(CommandFailure) -> Person? {
        if let here = everybody.first(where: { $0.user == user }) {
            return Person(user: user, name: here.name ?? user.text)
        }
        let profile = try await self.client.asking { client throws(ClientError) in try await client.profile(of: user) }
        return profile.map { Person(user: $0.user, name: $0.name ?? user.text) }
    }

    private func peers() async throws(CommandFailure) -> [Person] {
        let views = try await self.client.asking { client throws(ClientError) in
            try await client.conversations(limit: 200)
        }
        return views.compactMap { view in view.peer.map { Person(user: $0, name: view.peerName ?? $0.text) } }
    }

    /// Whoever mistyped a name finds the right one.
    private func words(about name: String, _ everybody: [Presence]) async throws(CommandFailure) -> String {
        let own = try await self.client.asking { client throws(ClientError) in try await client.ownProfile() }.user
        let names = Set(everybody.filter { $0.isOnline && $0.user != own }.map { $0.name ?? $0.user.text }).sorted()
        guard !names.isEmpty else { return "nobody is called \(name), and nobody else is online" }
        let shown = names.prefix(Self.maximumNamed).map { "@\(PlainText.line($0))" }.joined(separator: ", ")
        let more = names.count > Self.maximumNamed ? " and \(names.count - Self.maximumNamed) more" : ""
        return "nobody is called \(name); online are \(shown)\(more)"
    }
}

extension ParleyClient {
    /// Where something goes that is for this conversation or person. A message to nobody is not sent.
    func resolve(_ target: ConversationArgument) async throws(CommandFailure) -> ChatTarget {
        switch target {
        case .conversation(let id): return .conversation(id)
        case .person(let name): return .user(try await self.person(name).user)
        }
    }

    func person(_ name: String) async throws(CommandFailure) -> PersonSearch.Person {
        switch try await PersonSearch(self).find(name) {
        case .success(let person): return person
        case .failure(let failure): throw CommandFailure(failure.words)
        }
    }
}
