internal import HTTPServer
internal import Web

/// A client's request as it is passed on to the node that it is for.
struct ForwardedRequest {
    let target: String
    let fields: HTTPFields

    /// On whatever was passed on once.
    private static let mark = HTTPFieldName("Parley-Forwarded")
    private static let host = HTTPFieldName("X-Forwarded-Host")

    /// - Parameter fields: those that are passed on. The other node counts by who asks, where it takes this one's word for that
    ///   (`--trusted-proxy`).
    init(_ exchange: HTTPExchange, with fields: HTTPFields) {
        let request = exchange.request
        self.target = Self.target(of: request)
        var fields = fields
        fields.remove(Self.host)
        fields.set(Self.mark, to: "1")
        fields.set(.forwardedFor, to: "\(exchange.client)")
        if let host = request.authority { fields.set(Self.host, to: host) }
        if exchange.isSecure { fields.set(.forwardedProtocol, to: "https") }
        self.fields = fields
    }

    /// As the client wrote it, without the server that a proxy is told.
    private static func target(of request: HTTPRequestHead) -> String {
        if request.target.first == "/" { return request.target }
        return request.query.map { "\(request.path)?\($0)" } ?? request.path
    }

    /// How the client reached us.
    static func host(of request: HTTPRequestHead) -> String {
        (self.was(request) ? request.fields[self.host] : nil) ?? request.authority ?? ""
    }

    /// It goes one step only.
    static func was(_ request: HTTPRequestHead) -> Bool { request.fields[Self.mark] != nil }
}
