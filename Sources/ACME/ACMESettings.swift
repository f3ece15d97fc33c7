/// What an operator says about certificates from an authority.
package struct ACMESettings: Hashable, Sendable {
    package static let letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"
    package static let maximumNames = 30

    /// Domain names; clients come by each of them.
    package let names: [String]
    /// Where the authority says what it offers (RFC 8555 §7.1.1).
    package var directory = ACMESettings.letsEncrypt
    /// How the authority reaches the operator: `mailto:` URLs.
    package var contacts: [String] = []
    /// A PEM file with the authorities that vouch for the directory, in place of the system's.
    package var authorities: String?

    package init(names: [String]) { self.names = names }
}
