internal import HTTPServer
package import Vocabulary
package import Web

/// Who is at the other end, as far as the first request tells.
package struct SocketClient: Sendable {
    package let address: SocketAddress
    package let query: QueryItems?
    package let origin: String?
    package let isEncrypted: Bool

    init(_ exchange: HTTPExchange) {
        self.address = exchange.peer
        self.query = QueryItems(exchange.request.query ?? "")
        self.origin = exchange.request.fields[.origin]
        self.isEncrypted = exchange.isEncrypted
    }
}
