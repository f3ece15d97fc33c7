internal import Web

extension HTTPFields {
    /// Those of `others` with one of the names.
    init(_ names: [HTTPFieldName], from others: HTTPFields) {
        self.init()
        for name in names { if let value = others[name] { self.set(name, to: value) } }
    }

    /// The fields of one connection (RFC 9110 §7.6.1) and those that each server writes itself. The origin was checked by the first node, which
    /// also writes the fields of CORS.
    private static let ofOneConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect",
        "host", "content-length", "date", "server", "origin", "access-control-allow-origin",
        "access-control-allow-credentials",
    ]

    /// Those that a proxy forwards.
    var endToEnd: HTTPFields {
        var fields = HTTPFields()
        for (text, value) in self where !Self.ofOneConnection.contains(text.lowercased()) {
            guard let name = HTTPFieldName(text), !self.hasToken(text, in: .connection) else { continue }
            fields.append(name, value)
        }
        return fields
    }
}
