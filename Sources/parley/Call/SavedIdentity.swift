import System
import Arguments
import Client
import Identity
import Reactor
import Vocabulary

/// A user who is known by a name on this machine and is the same to the server each time.
struct SavedIdentity: Sendable {
    private let name: DisplayName
    private let server: ServerURL
    private let loop: EventLoop

    /// A token is renewed so long before it ends.
    private static let margin = Duration.seconds(300)
    private static let restAfterTrouble = Duration.seconds(20)
    private static let maximumRest = Duration.seconds(86_400)
    /// The server's word for tokens it does not take.
    private static let unauthorized = "unauthorized"

    init(_ name: DisplayName, at server: ServerURL, on loop: EventLoop) {
        self.name = name
        self.server = server
        self.loop = loop
    }

    func connect() async throws(CommandFailure) -> ParleyClient {
        let credentials = try KeptCredentials.usual(environment: ProcessEnvironment.variables)
        var entry = try await self.current(credentials, mayBeginAnew: true)
        var client = ParleyClient(self.server, token: entry.accessToken, on: self.loop)
        do throws(LinkFailure) {
            try await client.connect()
        } catch .refused(let code) where code == Self.unauthorized || code == "kicked" && entry.isRegistered {
            // The token looks good here, and is not to a server whose data were begun anew, or that revoked it.
            entry = try await self.current(credentials, besides: entry, mayBeginAnew: true)
            client = ParleyClient(self.server, token: entry.accessToken, on: self.loop)
            try await self.connect(client)
        } catch {
            throw self.failure(error)
        }
        let (known, kept) = (client, entry)
        Task(executorPreference: self.loop) { await self.keepFresh(known, credentials, kept) }
        return client
    }

    private func connect(_ client: ParleyClient) async throws(CommandFailure) {
        do throws(LinkFailure) {
            try await client.connect()
        } catch {
            throw self.failure(error)
        }
    }

    private func failure(_ error: LinkFailure) -> CommandFailure {
        CommandFailure("\(self.server): \(error.words)", exitCode: .unavailable)
    }

    /// What is kept as long as it is good, and what the server gives for it otherwise.
    ///
    /// - Parameters:
    ///   - refused: one that the server does not take, whatever it says of itself.
    ///   - mayBeginAnew: a new user signs in where the server does not know us any more.
    private func current(
        _ credentials: KeptCredentials, besides refused: KeptCredentials.Entry? = nil, mayBeginAnew: Bool
    ) async throws(CommandFailure) -> KeptCredentials.Entry {
        try await credentials.whileLocked { () async throws(CommandFailure) in
            let old = try credentials.entry(for: self.name.text, at: self.server)
            if let old, old != refused, Timekeeper.system.wall() + Self.margin < old.expires { return old }
            let fresh = try await self.signIn(old, mayBeginAnew: mayBeginAnew)
            try credentials.keep(fresh, for: self.name.text, at: self.server)
            return fresh
        }
    }

    private func signIn(
        _ old: KeptCredentials.Entry?, mayBeginAnew: Bool
    ) async throws(CommandFailure) -> KeptCredentials.Entry {
        let client = SignInClient(self.server, on: self.loop)
        var isSignedOut = false
        do throws(ClientError) {
            if let old {
                do throws(ClientError) {
                    var entry = KeptCredentials.Entry(try await client.refresh(old.refreshToken))
                    entry.isRegistered = old.isRegistered
                    return entry
                } catch .refused(let refusal) where refusal.code == Self.unauthorized && mayBeginAnew {
                    isSignedOut = old.isRegistered
                    if isSignedOut { throw .refused(refusal) }
                    Terminal.complain(
                        "parley: \(self.server) does not know \(self.name.text) any more; a new user signs in")
                }
            }
            return KeptCredentials.Entry(try await client.signInAnonymously(as: self.name))
        } catch {
            guard !isSignedOut else {
                throw CommandFailure(
                    "\(self.name.text) is signed out; sign in again with 'parley login \(self.name.text)'")
            }
            throw CommandFailure("\(self.server): \(error.words)", exitCode: .unavailable)
        }
    }

    /// For as long as the program runs.
    private func keepFresh(
        _ client: ParleyClient, _ credentials: KeptCredentials, _ entry: KeptCredentials.Entry
    ) async {
        var entry = entry
        while true {
            let left =
                Duration.milliseconds(entry.expires.milliseconds)
                - .milliseconds(Timekeeper.system.wall().milliseconds)
            // A server may name any time at all.
            let rest = min(max(Self.restAfterTrouble, left - Self.margin), Self.maximumRest)
            do {
                try await Task.sleep(for: rest)
                entry = try await self.current(credentials, mayBeginAnew: false)
                try await client.refreshSession(with: entry.accessToken)
            } catch is CancellationError {
                return
            } catch {
                // The next attempt may do better, and there are minutes left.
                Terminal.complain("parley: staying signed in: \(error)")
            }
        }
    }
}

extension KeptCredentials.Entry {
    init(_ signedIn: SignedIn) {
        self.init(
            user: signedIn.user.text, accessToken: signedIn.accessToken, refreshToken: signedIn.refreshToken,
            expires: signedIn.expires)
    }
}
