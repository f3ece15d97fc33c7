import Arguments
import Client
import System
import Reactor
import Vocabulary

/// Which server a command speaks to, and as whom.
struct ClientOptions: ParsableArguments {
    @OptionGroup var place: ServerOptions

    @Option(help: ArgumentHelp("Access token, as 'parley token' makes them; default: a new anonymous user."))
    var token: String?

    @Option(help: "Display name of the new user.")
    var name: String?

    @Option(
        name: [.customLong("as")],
        help: ArgumentHelp(
            "Account that 'parley register' or 'parley login' saved; else an anonymous user of this name, the same every time.",
            valueName: "NAME"))
    var alias: String?

    func validate() throws(ValidationError) {
        if self.alias != nil, self.token != nil || self.name != nil {
            throw ValidationError("--as already says who you are; leave --token and --name out")
        }
        if let alias = self.alias, DisplayName(alias) == nil {
            throw ValidationError("'\(alias)' cannot be a name")
        }
        if let name = self.name, DisplayName(name) == nil { throw ValidationError("'\(name)' cannot be a name") }
    }

    /// The same for another command line. A token is nothing to be shown.
    var asWritten: String {
        let server = self.place.server == ServerOptions().server ? "" : " --server \(self.place.server)"
        let trust = self.place.trustAnybody ? " --trust-anybody" : ""
        return server + trust + (self.alias.map { " --as \($0.quotedForShell)" } ?? " --token $TOKEN")
    }

    /// Signs in, connects, lets `work` do what it wants, and says goodbye.
    func run(_ work: @escaping @Sendable (ParleyClient) async throws(CommandFailure) -> Void) throws(CommandFailure) {
        try self.run { client, _ throws(CommandFailure) in try await work(client) }
    }

    /// The same for who works on the loop itself.
    func run(
        _ work: @escaping @Sendable (ParleyClient, EventLoop) async throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let login = self.login
        try EventLoopGroup.run { loop throws(CommandFailure) in
            let client = try await login.connect(on: loop)
            try await work(client, loop)
            client.close()
        }
    }

    private var login: ServerLogin {
        ServerLogin(
            server: self.place.url, token: self.token, name: self.name.flatMap { DisplayName($0) },
            alias: self.alias.flatMap { DisplayName($0) })
    }
}

/// Who comes to which server.
private struct ServerLogin: Sendable {
    let server: ServerURL
    let token: String?
    let name: DisplayName?
    let alias: DisplayName?

    func connect(on loop: EventLoop) async throws(CommandFailure) -> ParleyClient {
        if let alias { return try await SavedIdentity(alias, at: self.server, on: loop).connect() }
        let client = ParleyClient(self.server, token: try await self.signIn(on: loop), on: loop)
        do throws(LinkFailure) {
            try await client.connect()
            return client
        } catch {
            throw CommandFailure("\(self.server): \(error.words)", exitCode: .unavailable)
        }
    }

    private func signIn(on loop: EventLoop) async throws(CommandFailure) -> String {
        if let token = self.token { return token }
        do throws(ClientError) {
            return try await SignInClient(self.server, on: loop).signInAnonymously(as: self.name).accessToken
        } catch {
            throw CommandFailure("\(self.server): \(error.words)", exitCode: .unavailable)
        }
    }
}

extension ServerURL: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "URL" }
    package static var expectation: String { "an address such as https://chat.example.org" }
    package var argumentDescription: String { self.description }
}

extension ParleyClient {
    /// The same as the client asks, with its refusals as the command's.
    func asking<Value>(
        _ question: (ParleyClient) async throws(ClientError) -> Value
    ) async throws(CommandFailure) -> Value {
        do throws(ClientError) {
            return try await question(self)
        } catch {
            throw CommandFailure(error.words)
        }
    }

    /// The conversation that is meant; nil when there is none with this user yet.
    func find(_ target: ChatTarget) async throws(CommandFailure) -> ConversationID? {
        switch target {
        case .conversation(let id): return id
        case .user(let user):
            return try await self.asking { client throws(ClientError) in try await client.conversation(with: user) }?.id
        }
    }
}
