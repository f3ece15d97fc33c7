internal import Bytes
internal import COpenSSL
package import Vocabulary

/// A fresh P-256 key and a certificate that nobody but itself vouches for: for a trial on a LAN, and for DTLS,
/// where the fingerprint travels with the offer.
@safe package final class SelfSignedIdentity: @unchecked Sendable {
    // Unchecked because both objects are only read once they are made; OpenSSL counts their references atomically.
    let key: OpaquePointer
    let certificate: OpaquePointer

    /// - Parameters:
    ///   - names: DNS names and IP addresses the certificate is good for.
    ///   - challenge: the digest that answers an authority's challenge (RFC 8737 §3).
    package init(
        names: [String], lifetime: Duration = .seconds(397 * 86_400), challenge: [UInt8]? = nil
    ) throws(SecureError) {
        guard let key = unsafe parley_p256_key() else { throw SecureError("making a key") }
        guard let certificate = unsafe X509_new() else {
            unsafe EVP_PKEY_free(key)
            throw SecureError("making a certificate")
        }
        unsafe self.key = key
        unsafe self.certificate = certificate
        try self.fill(names, lifetime, challenge)
    }

    /// What `pem` wrote.
    package init(pem: [UInt8]) throws(SecureError) {
        guard let source = unsafe BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else {
            throw SecureError("reading a certificate")
        }
        defer { unsafe BIO_free(source) }
        guard let key = unsafe PEM_read_bio_PrivateKey(source, nil, nil, nil) else {
            throw SecureError("reading a key")
        }
        guard let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil) else {
            unsafe EVP_PKEY_free(key)
            throw SecureError("reading a certificate")
        }
        unsafe self.key = key
        unsafe self.certificate = certificate
        guard unsafe X509_check_private_key(certificate, key) == 1 else { throw SecureError("checking a key") }
    }

    /// Key and certificate, for a file that only its owner reads.
    package var pem: [UInt8] {
        get throws(SecureError) {
            try unsafe PEMText.bytes("writing a certificate") { target in
                unsafe PEM_write_bio_PrivateKey(target, self.key, nil, nil, 0, nil, nil) == 1
                    && PEM_write_bio_X509(target, self.certificate) == 1
            }
        }
    }

    /// Whether a client that came by this name or address finds it in the certificate.
    package func covers(_ name: String) -> Bool {
        Self.isAddress(name)
            ? (unsafe X509_check_ip_asc(self.certificate, name, 0)) == 1
            : (unsafe X509_check_host(self.certificate, name, 0, 0, nil)) == 1
    }

    package var notBefore: WallTime { WallTime(seconds: unsafe parley_seconds(X509_get0_notBefore(self.certificate))) }
    package var notAfter: WallTime { WallTime(seconds: unsafe parley_seconds(X509_get0_notAfter(self.certificate))) }

    /// How long it is still good; less than nothing when it is not.
    package var remaining: Duration { unsafe CertificateFile.remaining(of: self.certificate) }

    deinit {
        unsafe X509_free(self.certificate)
        unsafe EVP_PKEY_free(self.key)
    }

    private func fill(_ names: [String], _ lifetime: Duration, _ challenge: [UInt8]?) throws(SecureError) {
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
        if let challenge { try self.addChallenge(challenge) }
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

    /// id-pe-acmeIdentifier: an octet string of 32 bytes, and whoever does not understand it refuses the certificate.
    private func addChallenge(_ digest: [UInt8]) throws(SecureError) {
        let value = "critical,DER:0420\(Hex.encode(digest))"
        guard let extensionObject = unsafe X509V3_EXT_nconf(nil, nil, "1.3.6.1.5.5.7.1.31", value) else {
            throw SecureError("answering a challenge in a certificate")
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
