/// Which addresses this machine sends to because somebody else asked for it: as a relay, or as a client of a URL. What a
/// stranger could not reach from outside is not reached through us either.
package struct AddressPolicy: Hashable, Sendable {
    /// Networks of the operator's own that are reached all the same.
    package var allowed: [IPNetwork]

    package init(allowed: [IPNetwork] = []) { self.allowed = allowed }

    package func allows(_ address: IPAddress) -> Bool {
        self.names(address) || !Self.refused.contains { $0.contains(address.unmapped) }
    }

    /// Whether the operator has said so.
    package func names(_ address: IPAddress) -> Bool { self.allowed.contains { $0.contains(address.unmapped) } }

    /// Not of the public internet (RFC 6890), or leading to what is not: every address that carries an IPv4 address
    /// inside is among them.
    private static let refused: [IPNetwork] = [
        // This host and network, private, shared by carriers, loopback, link-local.
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
        // Protocol assignments, documentation, 6to4 relays, benchmarks.
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        // Multicast, reserved, broadcast.
        "224.0.0.0/4", "240.0.0.0/4",
        // Unspecified, loopback, and IPv4 addresses written as IPv6.
        "::/96", "::ffff:0:0:0/96",
        // NAT64, discard, Teredo, documentation, 6to4.
        "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
        // Unique local, link-local, site-local, multicast.
        "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap { IPNetwork($0) }
}
