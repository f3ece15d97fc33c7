internal import Reactor
internal import HTTPServer
internal import JSON
internal import Vocabulary
internal import Web

/// The servers on one database: `/v1/nodes`.
extension AdminRoutes {
    func addNodes(to router: inout Router) {
        self.on(.get, "/v1/nodes", of: &router) { exchange, _ in
            self.atHome(exchange) { exchange, view in
                exchange.respond(.json(.ok, JSONWriter.object { $0.array("nodes", of: view.nodes) { $0.node($1) } }))
            }
        }
        self.on(.post, "/v1/nodes/:node/drain", of: &router) { exchange, parameters in
            let signalling = self.signalling
            guard exchange.reactor.loop === signalling.home else { return exchange.move(to: signalling.home) }
            let node = parameters["node"].flatMap { RandomToken($0) }
            guard let node, signalling.drain(node, on: exchange.reactor) else {
                return exchange.respond(.error(.notFound, "no other node has this name; see /v1/nodes"))
            }
            exchange.respond(.json(.accepted, JSONWriter.object { $0.field("draining", node.text) }))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func node(_ node: SignallingView.Node) {
        self.fields(("node", node.name.text)) { json in
            json.optional("address", node.address)
            json.field("connections", node.connections)
            json.field("shared", node.isShared)
            json.field("this", node.isThis)
        }
    }
}
