internal import HTTPServer
internal import Journal
internal import Reactor
internal import Web

/// What the admin listener answers: to supervisors, to Prometheus, and to `parley users`, `rooms` and
/// `webhooks`.
struct AdminRoutes: Sendable {
    let health: Health
    let registry: MetricsRegistry
    let signalling: Signalling
    let gate: AdminGate

    func makeResponder(_ reactor: Reactor) -> HTTPResponder {
        var router = Router()
        router.on(.get, "/livez") { exchange, _ in exchange.respond(.plain(.ok, "alive\n")) }
        router.on(.get, "/readyz") { exchange, _ in exchange.respond(self.readiness) }
        router.on(.get, "/metrics") { exchange, _ in exchange.respond(self.metrics) }
        self.addPeople(to: &router)
        self.addWebhooks(to: &router)
        return { router.respond(to: $0) }
    }

    private var readiness: HTTPResponse {
        let reasons = self.health.whyNotReady
        guard reasons.isEmpty else {
            return .plain(.serviceUnavailable, reasons.map { "\($0)\n" }.joined())
        }
        return .plain(.ok, "ready\n")
    }

    private var metrics: HTTPResponse {
        let text = Array(self.registry.exposition().utf8)
        return HTTPResponse(.ok, fields: [.contentType: MetricsRegistry.contentType], body: .bytes(text))
    }
}

extension HTTPResponse {
    /// Never kept by anybody on the way.
    static func plain(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        var response = HTTPResponse.text(status, text)
        response.head.fields.set(.cacheControl, to: "no-store")
        return response
    }
}
