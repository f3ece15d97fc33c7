internal import ACME
internal import Client
internal import Reactor
internal import Vocabulary
internal import Web

/// Carries requests to an authority. What the operator named is reached wherever it is; to where its answers lead
/// elsewhere, only what a stranger may reach.
struct ACMEFetcher {
    private let settings: ACMESettings
    private let reactor: Reactor
    private let addresses: AddressPolicy

    private static let timeout = Duration.seconds(30)
    private static let maximumBytes = 256 << 10

    init(_ settings: ACMESettings, on reactor: Reactor, allowing networks: [IPNetwork]) {
        self.settings = settings
        self.reactor = reactor
        self.addresses = AddressPolicy(allowed: networks)
    }

    func send(_ request: ACMERequest, _ completion: @escaping (Result<ACMEAnswer, ACMEError>) -> Void) {
        guard let url = HTTPURL(request.url) else {
            return completion(.failure(.unreachable(request.url, "this is no address")))
        }
        var fields: HTTPFields = ["User-Agent": "parley"]
        if !request.body.isEmpty { fields.set(.contentType, to: ACMERequest.contentType) }
        HTTPCall(url.server, on: self.reactor, rules: self.rules(for: url)) { outcome in
            completion(
                outcome.map { ACMEAnswer($0.status.code, $0.fields, $0.body) }
                    .mapError { .unreachable(request.url, "\($0)") })
        }.send(request.method, url.target, fields: fields, body: request.body, timeout: Self.timeout)
    }

    private func rules(for url: HTTPURL) -> HTTPCallRules {
        let isNamed = url.server == HTTPURL(self.settings.directory)?.server
        var rules = HTTPCallRules(
            isNamed ? .operatorOrUser : .stranger, addresses: self.addresses, maximumBodyBytes: Self.maximumBytes)
        rules.authorities = self.settings.authorities
        return rules
    }
}
