internal import HTTPServer
package import Vocabulary
package import Web

/// Who is at the other end, as far as the first request tells.
package struct SocketClient: Sendable {
    package let address: IPAddress
    package let query: QueryItems?
    package let origin: String?
    /// The host under which the client found the server, as its request says.
    package let host: String?
    package let isEncrypted: Bool
    /// The token of an `Authorization: Bearer` field.
    private let bearer: String?

    init(_ exchange: HTTPExchange) {
        self.address = exchange.client
        self.query = exchange.query
        self.host = exchange.request.authority.map(Self.host)
        self.origin = exchange.request.fields[.origin]
        self.isEncrypted = exchange.isEncrypted
        self.bearer = BearerToken.found(in: exchange.request.fields)
    }

    /// A token that old clients bring in the query, where logs of proxies keep it, and others in a field of the request.
    package func credential(_ name: String) -> String? { self.query?[name] ?? self.bearer }

    /// Without the port; an IPv6 address keeps its brackets.
    private static func host(_ authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority }
        return String(authority[..<colon])
    }
}
