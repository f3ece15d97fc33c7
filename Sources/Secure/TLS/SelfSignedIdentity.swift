internal import Bytes
internal import COpenSSL

/// A fresh P-256 key and a certificate that nobody but itself vouches for: for a trial on a LAN, and for DTLS,
/// where the fingerprint travels with the offer.
@safe package final class SelfSignedIdentity: @unchecked Sendable {
    // Unchecked because both objects are only read once they are made; OpenSSL counts their references atomically.
    let key: OpaquePointer
    let certificate: OpaquePointer

    /// - Parameter names: DNS names and IP addresses the certificate is good for.
    package init(names: [String], lifetime: Duration = .seconds(397 * 86_400)) throws(SecureError) {
        guard let key = unsafe parley_p256_key() else { throw SecureError("making a key") }
        guard let certificate = unsafe X509_new() else {
            unsafe EVP_PKEY_free(key)
            throw SecureError("making a certificate")
        }
        unsafe self.key = key
        unsafe self.certificate = certificate
        try self.fill(names, lifetime)
    }

    deinit {
        unsafe X509_free(self.certificate)
        unsafe EVP_PKEY_free(self.key)
    }

    private func fill(_ names: [String], _ lifetime: Duration) throws(SecureError) {
        unsafe X509_set_version(self.certificate, 2)
        try self.setSerial()
        // An hour of grace for clocks that are behind.
        unsafe X509_gmtime_adj(X509_getm_notBefore(self.certificate), -3600)
        unsafe X509_gmtime_adj(X509_getm_notAfter(self.certificate), Int(lifetime.components.seconds))
        unsafe X509_set_pubkey(self.certificate, self.key)
        let subject = unsafe X509_get_subject_name(self.certificate)
        unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, names.first ?? "parley", -1, -1, 0)
        unsafe X509_set_issuer_name(self.certificate, subject)
        try self.addAlternativeNames(names)
        guard unsafe X509_sign(self.certificate, self.key, EVP_sha256()) > 0 else {
            throw SecureError("signing a certificate")
        }
    }

    private func setSerial() throws(SecureError) {
        var number = UInt64.random(in: 1...UInt64(Int64.max))
        number |= 1
        guard unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(self.certificate), number) == 1 else {
            throw SecureError("numbering a certificate")
        }
    }

    private func addAlternativeNames(_ names: [String]) throws(SecureError) {
        let list = names.map { Self.isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.joined(separator: ",")
        guard !list.isEmpty else { return }
        guard let extensionObject = unsafe X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, list) else {
            throw SecureError("naming a certificate for \(list)")
        }
        defer { unsafe X509_EXTENSION_free(extensionObject) }
        unsafe X509_add_ext(self.certificate, extensionObject, -1)
    }

    private static func isAddress(_ name: String) -> Bool {
        name.contains(":") || name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    }

    /// SHA-256 over the certificate, as SDP writes it: `AB:CD:…`.
    package var fingerprint: String { unsafe Self.fingerprint(of: self.certificate) }

    static func fingerprint(of certificate: OpaquePointer) -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        unsafe X509_digest(certificate, EVP_sha256(), &digest, &count)
        return Hex.fingerprint(Array(digest.prefix(Int(count))))
    }
}
