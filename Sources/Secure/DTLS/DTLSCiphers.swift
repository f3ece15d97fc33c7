/// How a DTLS association is kept secret, by the names of IANA's registries and of the web's statistics.
package struct DTLSCiphers: Hashable, Sendable {
    /// As it stands in records, in hexadecimal: FEFD is DTLS 1.2.
    package let version: String
    package let cipher: String
    package let srtp: String
}
