import Arguments
import Client
import Identity
import Reactor
import Vocabulary

/// Somebody who is known by a name on this machine and is the same to the server each time.
struct KnownVisitor: Sendable {
    private let name: DisplayName
    private let server: ServerURL
    private let loop: EventLoop

    /// A token is renewed so long before it ends.
    private static let margin = Duration.seconds(300)

    init(_ name: DisplayName, at server: ServerURL, on loop: EventLoop) {
        self.name = name
        self.server = server
        self.loop = loop
    }

    func connect() async throws(CommandFailure) -> ParleyClient {
        let credentials = try KeptCredentials.usual(environment: ProcessEnvironment.variables)
        let entry = try await self.current(credentials)
        let client = ParleyClient(self.server, token: entry.accessToken, on: self.loop)
        do throws(LinkFailure) {
            try await client.connect()
        } catch {
            throw CommandFailure("\(self.server): \(error)", exitCode: .unavailable)
        }
        Task(executorPreference: self.loop) { await self.keepFresh(client, credentials, entry) }
        return client
    }

    /// What is kept as long as it is good, and what the server gives for it otherwise.
    private func current(_ credentials: KeptCredentials) async throws(CommandFailure) -> KeptCredentials.Entry {
        try await credentials.whileLocked { () async throws(CommandFailure) in
            let old = try credentials.entry(for: self.name.text, at: self.server)
            if let old, Timekeeper.system.wall() + Self.margin < old.expires { return old }
            let fresh = try await self.signIn(old)
            try credentials.keep(fresh, for: self.name.text, at: self.server)
            return fresh
        }
    }

    private func signIn(_ old: KeptCredentials.Entry?) async throws(CommandFailure) -> KeptCredentials.Entry {
        let desk = SignInDesk(self.server, on: self.loop)
        do throws(ClientError) {
            if let old {
                do throws(ClientError) {
                    return KeptCredentials.Entry(try await desk.refresh(old.refreshToken))
                } catch .refused {
                    // The server knows that one no more, as after its data were begun anew.
                    Terminal.complain(
                        "parley: \(self.server) does not know \(self.name.text) any more; somebody new signs in")
                }
            }
            return KeptCredentials.Entry(try await desk.signInAnonymously(as: self.name))
        } catch {
            throw CommandFailure("\(self.server): \(error)", exitCode: .unavailable)
        }
    }

    /// For as long as the program runs.
    private func keepFresh(
        _ client: ParleyClient, _ credentials: KeptCredentials, _ entry: KeptCredentials.Entry
    ) async {
        var entry = entry
        while true {
            let left = entry.expires.milliseconds - Timekeeper.system.wall().milliseconds
            let rest = max(.seconds(5), .milliseconds(left) - Self.margin)
            guard (try? await Task.sleep(for: rest)) != nil else { return }
            // When it does not work now, the next attempt may.
            guard let fresh = try? await self.current(credentials) else { continue }
            entry = fresh
            _ = try? await client.refreshSession(with: fresh.accessToken)
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
