internal import Bytes
internal import HTTPServer
internal import Hashing
internal import Vocabulary
internal import Web

/// Keeps web pages away from what the person who runs the server may do. Their browser is often on the same machine,
/// and would carry a request of any page there.
struct AdminGate: Sendable {
    private let names: Set<String>
    private let token: [UInt8]?
    /// By which the token is recognised where it is written down; nil where none is asked for.
    let tokenName: String?

    /// - Parameters:
    ///   - names: by which the admin listener is reached, besides its address.
    ///   - token: what a request has to bring; nil asks for nothing.
    init(names: [String], token: String? = nil) {
        self.names = Set(names.map { $0.lowercased() })
        self.token = token.map { Array("Bearer \($0)".utf8) }
        self.tokenName = token.map { "sha256:\(Hex.encode(Digest.sha256.hash($0).prefix(4)))" }
    }

    func refusal(of request: HTTPRequestHead) -> HTTPResponse? {
        guard self.admits(authority: request.authority, origin: request.fields[.origin]) else {
            return .error(.forbidden, "no web page may ask this; name the server by its address, or see --admin-name")
        }
        guard let token = self.token else { return nil }
        let said = Array((request.fields["Authorization"] ?? "").utf8)
        guard !ConstantTime.areEqual(said, token) else { return nil }
        return .error(.unauthorized, "send Authorization: Bearer and the token of --admin-token")
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
