package import Vocabulary

/// Where a server is: `http://host:port` or `https://host:port`.
package struct ServerURL: Hashable, Sendable, CustomStringConvertible {
    package enum Host: Hashable, Sendable {
        case address(IPAddress)
        case name(String)
    }

    package let isEncrypted: Bool
    package let host: Host
    package let port: UInt16
    /// Any certificate will do, as for a trial with one that was made on the spot. Then a man in the middle can listen in.
    package var trustsAnybody = false

    package init(_ host: Host, port: UInt16, isEncrypted: Bool = false) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
    }

    package init(_ address: SocketAddress, isEncrypted: Bool = false) {
        self.init(.address(address.ip), port: address.port, isEncrypted: isEncrypted)
    }

    /// Nil for what has another form: a path, a user, a scheme we do not speak.
    package init?(_ text: String) {
        let schemes = [("http://", false), ("https://", true)]
        guard let (scheme, isEncrypted) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) else {
            return nil
        }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        let (host, port) = Self.split(rest)
        guard let known = Self.host(host), let number = port.map(Self.port) ?? (isEncrypted ? 443 : 80) else {
            return nil
        }
        self.init(known, port: number, isEncrypted: isEncrypted)
    }

    /// What the certificate has to prove.
    var hostText: String {
        switch self.host {
        case .address(let ip): "\(ip)"
        case .name(let name): name
        }
    }

    /// What stands in the `Host` field: the usual port is not said (RFC 9110 §4.2.3), since servers that build addresses of
    /// their own out of it would say it, too.
    package var authority: String {
        let isUsual = self.port == (self.isEncrypted ? 443 : 80)
        return isUsual ? String(self.place.dropLast(self.isEncrypted ? 4 : 3)) : self.place
    }

    /// Host and port.
    private var place: String {
        switch self.host {
        case .address(let ip): "\(SocketAddress(ip, port: self.port))"
        case .name(let name): "\(name):\(self.port)"
        }
    }

    package var description: String { (self.isEncrypted ? "https://" : "http://") + self.place }

    private static func split(_ text: Substring) -> (host: Substring, port: Substring?) {
        guard let colon = text.lastIndex(of: ":"), text.last != "]" else { return (text, nil) }
        return (text[..<colon], text[text.index(after: colon)...])
    }

    private static func port(_ digits: Substring) -> UInt16? {
        digits.utf8.allSatisfy { (48...57).contains($0) } ? UInt16(digits) : nil
    }

    private static func host(_ text: Substring) -> Host? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard let ip = IPAddress(text.dropFirst().dropLast()), ip.groups != nil else { return nil }
            return .address(ip)
        }
        if let ip = IPAddress(text), ip.groups == nil { return .address(ip) }
        guard (1...253).contains(text.utf8.count), text.utf8.allSatisfy(Self.isNameByte) else { return nil }
        return .name(String(text))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
