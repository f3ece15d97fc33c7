internal import Client
internal import Identity
internal import Reactor
internal import Secure
internal import Vocabulary
internal import Web

/// Carries requests to an OpenID provider. What the operator named is reached wherever it is; to where the provider's own
/// description leads elsewhere, only what a stranger may reach.
struct OpenIDFetcher: Sendable {
    private let issuer: HTTPURL
    private let loop: EventLoop
    private let addresses: AddressPolicy

    private static let timeout = Duration.seconds(10)
    private static let maximumRedirects = 3

    /// The loop has to last as long as an answer is waited for.
    init(_ issuer: HTTPURL, on loop: EventLoop, allowing networks: [IPNetwork]) {
        self.issuer = issuer
        self.loop = loop
        self.addresses = AddressPolicy(allowed: networks)
    }

    /// - Parameter discovery: what is known already.
    func description(
        of settings: OpenIDSettings, knowing discovery: OpenIDDiscovery?
    ) async throws(OpenIDError) -> (OpenIDDiscovery, JSONWebKeySet) {
        let found: OpenIDDiscovery
        if let discovery {
            found = discovery
        } else {
            let document = try await self.get(settings.discoveryURL, maximumBytes: OpenIDDiscovery.maximumBytes)
            found = try OpenIDDiscovery(parsing: document, issuer: settings.issuer)
        }
        let document = try await self.get(found.keySetURL, maximumBytes: JSONWebKeySet.maximumBytes)
        do throws(JSONWebKeySet.Mistake) {
            return (found, try JSONWebKeySet(parsing: document))
        } catch {
            throw .badKeys(error)
        }
    }

    func post(_ address: String, _ fields: HTTPFields, _ body: [UInt8]) async throws(OpenIDError) -> HTTPCall.Answer {
        try await self.send(.post, address, fields, body, maximumBytes: OpenIDExchange.maximumAnswerBytes)
    }

    private func get(_ address: String, maximumBytes: Int) async throws(OpenIDError) -> [UInt8] {
        let answer = try await self.send(.get, address, ["Accept": "application/json"], [], maximumBytes: maximumBytes)
        guard answer.status.isSuccess else { throw .unreachable(address, "it answered \(answer.status.code)") }
        return answer.body
    }

    private func send(
        _ method: HTTPMethod, _ address: String, _ fields: HTTPFields, _ body: [UInt8], maximumBytes: Int
    ) async throws(OpenIDError) -> HTTPCall.Answer {
        guard let url = HTTPURL(address) else { throw .unreachable(address, "this is no address") }
        let rules = self.rules(for: url, maximumBytes)
        let outcome = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                HTTPCall(url.server, on: reactor, rules: rules) { continuation.resume(returning: $0) }
                    .send(method, url.target, fields: fields, body: body, timeout: Self.timeout)
            }
        }
        do throws(LinkFailure) {
            return try outcome.get()
        } catch {
            throw .unreachable(address, "\(error)")
        }
    }

    private func rules(for url: HTTPURL, _ maximumBytes: Int) -> HTTPCallRules {
        var rules = HTTPCallRules(
            url.server == self.issuer.server ? .operatorOrUser : .stranger, addresses: self.addresses,
            maximumBodyBytes: maximumBytes)
        rules.maximumRedirects = Self.maximumRedirects
        return rules
    }
}

extension ServiceConfiguration {
    /// Nil where nobody signs in elsewhere.
    func openIDFetcher(on loop: EventLoop) -> (OpenIDSettings, OpenIDFetcher)? {
        guard let settings = self.openID, let issuer = HTTPURL(settings.issuer) else { return nil }
        return (settings, OpenIDFetcher(issuer, on: loop, allowing: self.outgoingNetworks))
    }
}
