internal import Client

/// Where pushes for a device go, as its program says: the address of a stranger's choice.
struct PushEndpoint {
    let url: HTTPURL
    /// Scheme and host, and the port where it is not the usual one: whom a token is for (RFC 8292 §2).
    var origin: String { "\(self.url.server)" }

    static let maximumBytes = 1000

    init(_ text: String) throws(PushRefusal) {
        guard text.utf8.count <= Self.maximumBytes, let url = HTTPURL(text) else {
            throw PushRefusal("the endpoint is no URL of at most \(Self.maximumBytes) bytes")
        }
        self.url = url
    }
}
