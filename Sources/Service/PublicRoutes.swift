internal import HTTPServer
internal import Reactor
internal import Web

/// What the public listener answers.
struct PublicRoutes: Sendable {
    let crossOrigin: CrossOrigin
    /// A folder of pages to serve instead of our own.
    let web: String?
    let signalling: Signalling?
    let test: TestEndpoints?

    func makeResponder(_ reactor: Reactor) -> HTTPResponder {
        var router = Router()
        self.test?.add(to: &router, reactor)
        self.signalling?.addRoutes(to: &router)
        self.addPages(to: &router, reactor)
        return { exchange in
            if let answer = self.crossOrigin.preflight(exchange.request, isEncrypted: exchange.isEncrypted) {
                return exchange.respond(answer)
            }
            router.respond(to: exchange)
        }
    }

    private func addPages(to router: inout Router, _ reactor: Reactor) {
        guard let web = self.web else {
            return EmbeddedPages(crossOrigin: self.crossOrigin).add(to: &router)
        }
        let files = StaticFiles(root: web, on: reactor)
        router.on(.get, "/*") { exchange, parameters in files.respond(to: exchange, path: parameters["*"] ?? "") }
    }
}
