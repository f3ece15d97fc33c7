package import Vocabulary
package import Web

/// Programs in front of the server whose word about their clients is taken: what they write into `X-Forwarded-For`.
package struct TrustedProxies: Hashable, Sendable {
    package var networks: [IPNetwork]

    package init(_ networks: [IPNetwork] = []) { self.networks = networks }

    package func contains(_ address: IPAddress) -> Bool { self.networks.contains { $0.contains(address) } }

    /// Whom a request is from: the one at the other end, or whom a trusted one there says it speaks for.
    ///
    /// Each proxy adds whom it heard it from at the end, so the list is read backwards, for as long as the one who
    /// wrote the entry is believed. What stands before that may have been made up.
    package func client(of request: HTTPRequestHead, from peer: IPAddress) -> IPAddress {
        guard self.contains(peer) else { return peer }
        var client = peer
        for entry in request.fields.values(of: .forwardedFor).flatMap({ $0.split(separator: ",") }).reversed() {
            guard let address = Self.address(entry) else { return client }
            client = address
            guard self.contains(address) else { return client }
        }
        return client
    }

    /// Some write the port as well.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        return IPAddress(text) ?? SocketAddress(text)?.ip
    }
}

extension HTTPFieldName {
    package static let forwardedFor: HTTPFieldName = "X-Forwarded-For"
}
