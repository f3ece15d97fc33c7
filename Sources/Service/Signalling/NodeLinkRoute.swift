internal import Client
internal import Cluster
internal import HTTPServer
internal import Reactor
internal import Vocabulary
internal import Web

/// Connections between nodes begin as a request to the ordinary listener and go on in a protocol of their own. A node of several on one
/// listener is named, and the connection moves to its loop.
enum NodeLinkRoute {
    static let path = "/nodes/link"
    private static let name = "parley-node"
    private static let target = HTTPFieldName("Parley-Node")
    private static let timeout = Duration.seconds(5)

    /// Opens one to another node.
    static func dial(_ node: RandomToken, at address: String, on reactor: Reactor, _ dialing: Dialing) {
        guard let server = ServerURL(address) else { return dialing.failed() }
        var fields = HTTPFields()
        fields.set(.upgrade, to: Self.name)
        fields.set(Self.target, to: node.text)
        _ = UpgradeCall(
            server, on: reactor, Self.path, fields: fields, timeout: Self.timeout,
            switched: { head, stream in
                guard head.fields.hasToken(Self.name, in: .upgrade) else {
                    dialing.failed()
                    return nil
                }
                return dialing.opened(stream)
            }, failed: dialing.failed)
    }

    /// Which node a request is for; nil when it is for none.
    static func target(of request: HTTPRequestHead) -> RandomToken? {
        guard request.isUpgrade(to: Self.name) else { return nil }
        return request.fields[Self.target].flatMap { RandomToken($0) }
    }

    /// Hands the connection over to the links of the node that it is for.
    static func accept(_ exchange: HTTPExchange, _ links: NodeLinks) {
        guard links.hasRoom else {
            return exchange.respond(.error(.serviceUnavailable, "too many nodes come at once"))
        }
        var fields = HTTPFields()
        fields.set(.connection, to: "Upgrade")
        fields.set(.upgrade, to: Self.name)
        exchange.upgrade(fields) { links.accept($0) }
    }
}
