import Arguments
import Client
import Reactor
import System
import Vocabulary

/// Signs in with a name and a password, and keeps what comes of it for `--as`.
enum AccountSignIn {
    static let exitCodes: [CommandConfiguration.DocumentedExit] = [
        .init(.success, "You are signed in on this machine."),
        .init(.failure, "The server refused the name or the password."), .init(.usage, "The command line is wrong."),
        .init(.unavailable, "No server answers."), .init(.cannotCreate, "The sign-in cannot be saved."),
    ]

    static func check(_ name: String) throws(ValidationError) {
        guard (try? UserName(name)) == nil else { return }
        throw ValidationError(
            "'\(name)' is not a user name: 4 to 15 letters, digits or _, and no _ at either end")
    }

    static func run(
        _ name: String, at server: ServerURL,
        _ signIn: @escaping @Sendable (SignInClient, UserName) async throws(ClientError) -> SignedIn
    ) throws(CommandFailure) {
        guard let user = try? UserName(name) else { return }
        let credentials = try KeptCredentials.usual(environment: ProcessEnvironment.variables)
        try EventLoopGroup.run { loop throws(CommandFailure) in
            let signedIn = try await Self.signedIn(at: server, on: loop, user, signIn)
            try await credentials.whileLocked { () async throws(CommandFailure) in
                var entry = KeptCredentials.Entry(signedIn)
                entry.isRegistered = true
                try credentials.keep(entry, for: name, at: server)
            }
        }
        Terminal.print("Signed in as \(name). Use --as \(name) from now on.")
    }

    private static func signedIn(
        at server: ServerURL, on loop: EventLoop, _ user: UserName,
        _ signIn: @escaping @Sendable (SignInClient, UserName) async throws(ClientError) -> SignedIn
    ) async throws(CommandFailure) -> SignedIn {
        do throws(ClientError) {
            return try await signIn(SignInClient(server, on: loop), user)
        } catch {
            if case .refused = error { throw CommandFailure(error.words) }
            throw CommandFailure("\(server): \(error.words)", exitCode: .unavailable)
        }
    }
}
