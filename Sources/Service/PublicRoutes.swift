internal import HTTPServer
internal import Reactor
internal import Web

/// What the public listener answers.
struct PublicRoutes: Sendable {
    let crossOrigin: CrossOrigin
    let test: TestEndpoints?

    func makeResponder(_ reactor: Reactor) -> HTTPResponder {
        var router = Router()
        router.on(.get, "/") { exchange, _ in exchange.respond(Self.welcome) }
        self.test?.add(to: &router, reactor)
        return { exchange in
            if let answer = self.crossOrigin.preflight(exchange.request, isEncrypted: exchange.isEncrypted) {
                return exchange.respond(answer)
            }
            router.respond(to: exchange)
        }
    }

    private static let welcome = HTTPResponse.text(.ok, "Parley is here.\n")
}
