/// Where a socket lives: an address and a port, as in `127.0.0.1:8080` and `[::1]:8080`.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    package let ip: IPAddress
    package let port: UInt16

    package init(_ ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Accepts `localhost` for the loopback address and a bare `:8080` for every address of the machine.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            return nil
        }
        guard let ip = Self.host(text[..<colon]) else { return nil }
        self.init(ip, port: port)
    }

    /// One word for IPv4: every packet is looked up by whom it came from.
    package func hash(into hasher: inout Hasher) {
        switch self.ip {
        case .v4(let address): hasher.combine(UInt64(address) << 16 | UInt64(self.port))
        case .v6(let high, let low):
            hasher.combine(high)
            hasher.combine(low)
            hasher.combine(self.port)
        }
    }

    package var description: String {
        switch self.ip {
        case .v4: "\(self.ip):\(self.port)"
        case .v6: "[\(self.ip)]:\(self.port)"
        }
    }

    private static func port(_ digits: some StringProtocol) -> UInt16? {
        digits.utf8.allSatisfy { (48...57).contains($0) } ? UInt16(digits) : nil
    }

    private static func host(_ text: some StringProtocol) -> IPAddress? {
        switch text {
        case "": .any
        case "localhost": .loopback
        case _ where text.hasPrefix("[") && text.hasSuffix("]"): self.bracketed(text.dropFirst().dropLast())
        default: IPAddress(text).flatMap { $0.groups == nil ? $0 : nil }
        }
    }

    private static func bracketed(_ text: some StringProtocol) -> IPAddress? {
        IPAddress(text).flatMap { $0.groups == nil ? nil : $0 }
    }
}
