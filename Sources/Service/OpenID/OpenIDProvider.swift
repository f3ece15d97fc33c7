internal import Client
internal import Identity
internal import Reactor
internal import Secure
internal import Vocabulary
internal import Web

/// Asks an OpenID provider: what it says of itself and which keys it has is kept for a while, and asked for once although
/// many want to know.
actor OpenIDProvider {
    nonisolated let settings: OpenIDSettings
    private let client: OpenIDFetcher
    private var discovery: Kept<OpenIDDiscovery>?
    private var keys: Kept<JSONWebKeySet>?
    private var asking: Task<Result<(OpenIDDiscovery, JSONWebKeySet), OpenIDError>, Never>?

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        let since: ContinuousClock.Instant
    }

    /// A provider changes its keys some time before it uses the new ones, and its addresses hardly ever.
    private static let lifetime = Duration.seconds(3600)
    /// A key that nobody knows is no reason to ask more often.
    private static let pauseBetweenKeys = Duration.seconds(1)

    init(_ settings: OpenIDSettings, _ client: OpenIDFetcher) {
        self.settings = settings
        self.client = client
    }

    /// Where the browser is sent to.
    func exchange() async throws(OpenIDError) -> OpenIDExchange {
        OpenIDExchange(self.settings, try await self.description().0)
    }

    /// Whom the provider's answer to a sign-in names.
    func user(code: String, _ ticket: SignInTicket) async throws(OpenIDError) -> ProviderUser {
        let (discovery, keys) = try await self.description()
        let exchange = OpenIDExchange(self.settings, discovery)
        let request = try exchange.tokenRequest(code: code, ticket)
        let answer = try await self.client.post(discovery.tokenEndpoint, request.fields, request.body)
        let token = try OpenIDExchange.idToken(in: answer.body, status: answer.status)
        let verified = try await self.verified(token, keys, nonce: ticket.nonce)
        guard let user = ProviderUser(verified, self.settings) else { throw .badToken(.missingClaim) }
        return user
    }

    private func verified(
        _ token: String, _ keys: JSONWebKeySet, nonce: String
    ) async throws(OpenIDError) -> IDTokenVerifier.Verified {
        let verifier = IDTokenVerifier(issuer: self.settings.issuer, clientID: self.settings.clientID)
        do throws(TokenRefusal) {
            return try verifier.verify(token, keys, nonce: nonce, at: SystemClock.now())
        } catch {
            guard error == .unknownKey, let newer = try await self.newerKeys() else { throw .badToken(error) }
            do throws(TokenRefusal) {
                return try verifier.verify(token, newer, nonce: nonce, at: SystemClock.now())
            } catch {
                throw .badToken(error)
            }
        }
    }

    /// The keys of now, when those that are known may be older. Nil when they were asked for just now.
    private func newerKeys() async throws(OpenIDError) -> JSONWebKeySet? {
        guard let keys = self.keys, keys.since.duration(to: .now) > Self.pauseBetweenKeys else { return nil }
        self.keys = nil
        return try await self.description().1
    }

    private func description() async throws(OpenIDError) -> (OpenIDDiscovery, JSONWebKeySet) {
        if let discovery = self.fresh(self.discovery), let keys = self.fresh(self.keys) { return (discovery, keys) }
        let asking = self.asking ?? self.ask(knowing: self.fresh(self.discovery))
        self.asking = asking
        let outcome = await asking.value
        if self.asking == asking {
            self.asking = nil
            if case .success(let (discovery, keys)) = outcome { self.keep(discovery, keys) }
        }
        return try outcome.get()
    }

    private func keep(_ discovery: OpenIDDiscovery, _ keys: JSONWebKeySet) {
        if self.fresh(self.discovery) == nil { self.discovery = Kept(value: discovery, since: .now) }
        self.keys = Kept(value: keys, since: .now)
    }

    private func fresh<Value>(_ kept: Kept<Value>?) -> Value? {
        guard let kept, kept.since.duration(to: .now) < Self.lifetime else { return nil }
        return kept.value
    }

    private func ask(
        knowing discovery: OpenIDDiscovery?
    ) -> Task<Result<(OpenIDDiscovery, JSONWebKeySet), OpenIDError>, Never> {
        Task { [client, settings] in
            do throws(OpenIDError) {
                return .success(try await client.description(of: settings, knowing: discovery))
            } catch {
                return .failure(error)
            }
        }
    }
}
