internal import HTTPServer
internal import Reactor
internal import RealtimeTree
internal import Web

/// Every place of the tree is an address that ends in `.json`.
struct TreeRoutes: Sendable {
    let site: DoorSite
    let desk: TreeDesk
    let gate: TreeGate

    func add(to router: inout Router) {
        router.on(.get, "/.ws") { exchange, _ in
            if self.site.isHome(exchange) { self.desk.sessions(self.gate).open(exchange) }
        }
        router.on(.get, "/.lp") { exchange, _ in
            if self.site.isHome(exchange) { self.desk.sessions(self.gate).poll(exchange) }
        }
        router.on(.get, "/.view") { exchange, _ in
            if self.site.isHome(exchange) { self.view(exchange) }
        }
        for method in [HTTPMethod.get, .put, .post, .patch, .delete] {
            router.on(method, "/*.json") { exchange, _ in
                guard self.site.isHome(exchange) else { return }
                self.receive(exchange)
            }
        }
    }

    /// For the page: a viewer's token comes in the first message, since addresses stand in logs.
    private func view(_ exchange: HTTPExchange) {
        guard self.desk.isOpen else { return exchange.respond(.error(.serviceUnavailable, "try again later")) }
        exchange.upgradeToWebSocket(maximumMessageBytes: TreeViewer.maximumMessageBytes) { socket in
            TreeViewer(socket, self.desk, self.gate)
        }
    }

    private func receive(_ exchange: HTTPExchange) {
        do throws(TreeProblem) {
            let request = try TreeRequest(exchange.request)
            let access = try self.access(exchange, request.fields)
            TreeVisit(exchange, self.desk, request, access).carryOut()
        } catch {
            exchange.respond(error.response)
        }
    }

    func access(_ exchange: HTTPExchange, _ fields: QueryItems) throws(TreeProblem) -> TreeAccess {
        guard let credential = TreeRequest.credential(exchange.request, fields) else { return .nobody }
        let access = try self.gate.access(credential, at: self.desk.now)
        guard access.isAdministrator, let text = fields["auth_variable_override"] else { return access }
        do throws(TreeError) {
            return .someone(try TreeParser.parse(Array(text.utf8).span))
        } catch {
            throw TreeProblem(error)
        }
    }
}
