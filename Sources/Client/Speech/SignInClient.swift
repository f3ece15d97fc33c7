internal import JSON
package import Reactor
package import Vocabulary
internal import Web

/// Where tokens are to be had: `/v1/auth/…` of a server.
package struct SignInClient: Sendable {
    private let server: ServerURL
    private let loop: EventLoop
    private let timeout: Duration

    /// The loop has to last as long as an answer is waited for.
    package init(_ server: ServerURL, on loop: EventLoop, timeout: Duration = .seconds(15)) {
        self.server = server
        self.loop = loop
        self.timeout = timeout
    }

    /// A new user without a password, who comes back with the refresh token.
    package func signInAnonymously(as name: DisplayName? = nil) async throws(ClientError) -> SignedIn {
        try await self.ask("anonymous", ("name", name?.text))
    }

    package func register(
        _ name: UserName, password: String, as displayName: DisplayName? = nil
    ) async throws(ClientError) -> SignedIn {
        try await self.ask("register", ("userName", name.text), ("password", password), ("name", displayName?.text))
    }

    package func logIn(_ name: UserName, password: String) async throws(ClientError) -> SignedIn {
        try await self.ask("login", ("userName", name.text), ("password", password))
    }

    /// New tokens for the old refresh token, which is spent then.
    package func refresh(_ refreshToken: String) async throws(ClientError) -> SignedIn {
        try await self.ask("refresh", ("refreshToken", refreshToken))
    }

    private func ask(_ what: String, _ fields: (String, String?)...) async throws(ClientError) -> SignedIn {
        let body = RawJSON { $0.members(fields) }
        let outcome = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                HTTPCall(self.server, on: reactor) { continuation.resume(returning: $0) }
                    .send(.post, "/v1/auth/\(what)", json: body.bytes, timeout: self.timeout)
            }
        }
        return try Self.read(outcome)
    }

    private static func read(_ outcome: HTTPCall.Outcome) throws(ClientError) -> SignedIn {
        switch outcome {
        case .failure(let failure): throw .ended(failure)
        case .success(let answer):
            guard let json = RawJSON(answer.body) else { throw .unreadableAnswer }
            if let refusal = ServerRefusal(in: json) { throw .refused(refusal) }
            return try SignedIn(json)
        }
    }
}
