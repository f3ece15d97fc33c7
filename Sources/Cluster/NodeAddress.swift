package import Vocabulary

/// Where a node is found by the others.
package enum NodeAddress: Hashable, Sendable {
    /// Such as `http://10.0.0.7:8080`.
    case known(String)
    /// It listens on this port of all addresses; by which of them it is seen, the database says.
    case port(UInt16, host: String?)

    /// - Parameter address: where it listens, without TLS.
    package init(listening address: SocketAddress) {
        let isAny = address.ip == .any || address.ip == .any6
        self = isAny ? .port(address.port, host: nil) : .known("http://\(address)")
    }

    /// What the others are told; nil as long as it is not known.
    var text: String? {
        switch self {
        case .known(let text): text
        case .port(_, nil): nil
        case .port(let port, let host?): host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
        }
    }

    mutating func set(host: String) {
        if case .port(let port, _) = self { self = .port(port, host: host) }
    }
}
