internal import HTTPServer
package import Vocabulary
internal import Web

/// Who is at the other end, as far as the first request tells. A session and its sockets have one together.
package final class SocketClient: Sendable {
    package let address: IPAddress
    package let origin: String?
    /// The host under which the client found the server, as its request says.
    package let host: String?
    package let isEncrypted: Bool
    /// The token that it brought: old clients in the query, where logs of proxies keep it, and others in a field of the request.
    package let credential: String?

    init(_ exchange: HTTPExchange, _ policy: LinkPolicy) {
        self.address = exchange.client
        self.host = exchange.request.authority.map(Self.host)
        self.origin = exchange.request.fields[.origin]
        self.isEncrypted = exchange.isEncrypted
        let query = policy.credential.flatMap { exchange.query?[$0] }
        self.credential = query ?? BearerToken.found(in: exchange.request.fields)
    }

    /// Without the port; an IPv6 address keeps its brackets.
    private static func host(_ authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority }
        return String(authority[..<colon])
    }
}
