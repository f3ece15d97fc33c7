internal import COpenSSL

/// A fresh P-256 key, and what an authority is asked with to vouch for it (RFC 2986).
package struct CertificateRequest: Sendable {
    package let der: [UInt8]
    /// The key, for what the authority answers.
    package let key: [UInt8]

    private static let maximumBytes = 32 << 10

    /// - Parameter names: DNS names.
    package init(names: [String]) throws(SecureError) {
        let key = try P256Key()
        let list = names.map { "DNS:\($0)" }.joined(separator: ",")
        var der = [UInt8](repeating: 0, count: Self.maximumBytes)
        let count = unsafe parley_certificate_request(key.handle, list, &der, Int32(der.count))
        guard count > 0 else { throw SecureError("asking for a certificate for \(list)") }
        self.der = Array(der.prefix(Int(count)))
        self.key = try key.pem
    }
}
