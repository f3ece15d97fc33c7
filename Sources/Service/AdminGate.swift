internal import HTTPServer
internal import Vocabulary
internal import Web

/// Keeps web pages away from what the person who runs the server may do. Their browser is often on the same machine,
/// and would carry a request of any page there.
struct AdminGate: Sendable {
    private let names: Set<String>

    /// - Parameter names: by which the admin listener is reached, besides its address.
    init(names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    func refusal(of request: HTTPRequestHead) -> HTTPResponse? {
        guard !self.admits(authority: request.authority, origin: request.fields[.origin]) else { return nil }
        return .error(.forbidden, "no web page may ask this; name the server by its address, or see --admin-name")
    }

    /// A page's request has an `Origin`, unless it is of the same origin as ours. DNS rebinding makes it so: the page's own
    /// name is pointed at this address, and by that name in `Host` it is known.
    func admits(authority: String?, origin: String?) -> Bool {
        guard origin == nil, let authority = authority?.lowercased() else { return false }
        let withPort = [authority, "\(authority):80"]
        let host = authority.prefix { $0 != ":" }
        return withPort.contains { SocketAddress($0) != nil } || self.names.contains(String(host))
    }
}
