import Arguments

/// Where to wait for connections: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
struct ListenAddress: Hashable, Sendable {
    /// A name or an address, without the brackets that IPv6 wears before a port.
    let host: String
    /// 0 lets the system choose.
    let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":") else { return nil }
        let digits = argument[argument.index(after: colon)...]
        guard let port = UInt16(digits), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        guard let host = Self.host(argument[..<colon]) else { return nil }
        self.init(host: host, port: port)
    }

    /// In brackets stands an IPv6 address; without them, no colon may stand.
    private static func host(_ text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let host = isBracketed ? text.dropFirst().dropLast() : text
        let allowed = host.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]")
        }
        guard !host.isEmpty, allowed, host.contains(":") == isBracketed else { return nil }
        return String(host)
    }

    static var valueName: String? { "ADDR:PORT" }
    static var expectation: String { "an address and a port such as 127.0.0.1:8080 or [::1]:8080" }
    var argumentDescription: String { self.description }
}

extension ListenAddress: CustomStringConvertible {
    var description: String { self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { self.isASCII && self.isNumber }
}
