package import Vocabulary

/// What a request may reach, and how much its answer may take.
package struct HTTPCallRules: Hashable, Sendable {
    /// Who wrote the URL.
    package enum Author: Hashable, Sendable {
        /// The person who runs this program: they may mean their own machine and network.
        case operatorOrUser
        /// Somebody else, such as a client that wants to be told something. Nothing but the public internet is reached, by
        /// TLS on the usual port.
        case stranger
    }

    package var author: Author
    /// Exceptions for strangers, and for where a redirect leads: networks that the operator has named.
    package var addresses: AddressPolicy
    package var maximumBodyBytes: Int
    /// A PEM file with the authorities that vouch for servers, in place of the system's.
    package var authorities: String?
    /// How often a GET is sent on. Every next address is judged anew.
    package var maximumRedirects = 0
    /// Where the connection is encrypted, HTTP/2 is asked for.
    var speaksHTTP2 = false

    package init(
        _ author: Author = .operatorOrUser, addresses: AddressPolicy = AddressPolicy(), maximumBodyBytes: Int = 1 << 20
    ) {
        self.author = author
        self.addresses = addresses
        self.maximumBodyBytes = maximumBodyBytes
    }

    static let http2 = "h2"

    /// What is offered by TLS; nothing means the usual HTTP.
    var protocols: [String] { self.speaksHTTP2 ? [Self.http2] : [] }

    /// Asked of each address a name has, right before it is connected to: what a name meant a moment ago proves nothing.
    package func allows(_ address: IPAddress, of server: ServerURL) -> Bool {
        switch self.author {
        case .operatorOrUser: return true
        case .stranger where self.addresses.names(address): return true
        case .stranger:
            // An IPv4 address written as IPv6 has no business in a URL.
            let isWhatItSeems = address.unmapped == address
            return isWhatItSeems && server.isEncrypted && server.port == 443 && self.addresses.allows(address)
        }
    }

    /// Where this server sends a request on, another one decides: not whoever wrote the first URL.
    func followed(from server: ServerURL, to next: ServerURL) -> HTTPCallRules? {
        guard self.maximumRedirects > 0, next.isEncrypted || !server.isEncrypted else { return nil }
        var rules = self
        rules.maximumRedirects -= 1
        if next != server { rules.author = .stranger }
        return rules
    }
}
