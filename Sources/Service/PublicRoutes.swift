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
        var router = Router(self.crossOrigin)
        self.test?.add(to: &router, reactor)
        self.signalling?.addRoutes(to: &router)
        self.addPages(to: &router, reactor)
        return { router.respond(to: $0) }
    }

    private func addPages(to router: inout Router, _ reactor: Reactor) {
        guard let web = self.web else {
            return EmbeddedPages().add(to: &router)
        }
        let files = StaticFiles(root: web, on: reactor)
        router.on(.get, "/*", foreignPages: .answered) { exchange, parameters in
            files.respond(to: exchange, path: parameters["*"] ?? "")
        }
    }
}
