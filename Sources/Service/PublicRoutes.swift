internal import HTTPServer
internal import Reactor
internal import Web

/// What the public listener answers.
struct PublicRoutes: Sendable {
    private let crossOrigin: CrossOrigin
    /// A folder of pages to serve instead of our own.
    private let web: String?
    private let signalling: Signalling
    private let test: TestEndpoints?
    /// Where clients are sent for files; nil when they come from here.
    private let fileOrigin: String?

    init(_ configuration: ServiceConfiguration, _ signalling: Signalling, _ test: TestEndpoints?) {
        self.crossOrigin = configuration.crossOrigin
        self.web = configuration.web
        self.signalling = signalling
        self.test = test
        self.fileOrigin = configuration.files.store?.origin
    }

    func makeResponder(_ reactor: Reactor) -> HTTPResponder {
        var router = Router(self.crossOrigin)
        self.test?.add(to: &router, reactor)
        self.signalling.addRoutes(to: &router)
        self.addPages(to: &router, reactor)
        return { router.respond(to: $0) }
    }

    private func addPages(to router: inout Router, _ reactor: Reactor) {
        guard let web = self.web else {
            return EmbeddedPages(fileOrigin: self.fileOrigin).add(to: &router)
        }
        let files = StaticFiles(root: web, on: reactor)
        router.on(.get, "/*", foreignPages: .answered) { exchange, parameters in
            files.respond(to: exchange, path: parameters["*"] ?? "")
        }
    }
}
