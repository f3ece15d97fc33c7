/// Where a STUN or TURN server is (RFC 7064, RFC 7065): `stun:host:port`, `turns:host?transport=tcp`.
package struct ICEServerURL: Hashable, Sendable {
    package enum Scheme: String, Hashable, Sendable, CaseIterable {
        case stun, stuns, turn, turns

        /// A TURN server relays for those it knows only.
        package var needsCredentials: Bool { self == .turn || self == .turns }
    }

    package enum Transport: String, Hashable, Sendable {
        case udp, tcp
    }

    package let text: String
    package let scheme: Scheme
    /// A name, or an address without its brackets.
    package let host: String
    /// Nil for the usual one.
    package let port: UInt16?
    /// Nil where both may be tried.
    package let transport: Transport?

    package static let maximumLength = 300

    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, let colon = text.firstIndex(of: ":"),
            let scheme = Scheme(rawValue: text[..<colon].lowercased())
        else { return nil }
        let parts = text[text.index(after: colon)...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let place = Self.place(parts[0]), parts.count == 1 || Self.isQuery(parts[1], scheme) else { return nil }
        self.text = text
        self.scheme = scheme
        self.host = place.host
        self.port = place.port
        self.transport = parts.count == 1 ? nil : Transport(rawValue: String(parts[1].dropFirst("transport=".count)))
    }

    /// `host`, `host:port`, `[v6]` or `[v6]:port`. No slashes: `stun://…` is a common mistake that browsers refuse.
    private static func place(_ text: Substring) -> (host: String, port: UInt16?)? {
        let isBracketed = text.hasPrefix("[")
        let hostEnd = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
        guard let hostEnd else { return nil }
        let host = text[(isBracketed ? text.index(after: text.startIndex) : text.startIndex)..<hostEnd]
        let rest = isBracketed ? text[hostEnd...].dropFirst() : text[hostEnd...]
        guard !host.isEmpty, host.utf8.allSatisfy(isBracketed ? Self.isAddressByte : Self.isNameByte) else {
            return nil
        }
        if rest.isEmpty { return (String(host), nil) }
        guard rest.first == ":", let port = Self.port(rest.dropFirst()) else { return nil }
        return (String(host), port)
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(text), port > 0 else { return nil }
        return port
    }

    private static func isQuery(_ text: Substring, _ scheme: Scheme) -> Bool {
        scheme.needsCredentials && (text == "transport=udp" || text == "transport=tcp")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
