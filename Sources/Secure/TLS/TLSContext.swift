internal import COpenSSL

/// A certificate with its key and the rules for using it; many sessions share one.
///
/// TLS 1.2 and 1.3, forward secrecy only, no renegotiation, no compression.
@safe package final class TLSContext: @unchecked Sendable {
    // Unchecked because an `SSL_CTX` may be used from any thread once it is set up, which ends with `init`.
    let handle: OpaquePointer
    /// What authorities see that look for a challenge. Sessions of this context may still begin to use it.
    private let challenge: TLSContext?

    /// For TLS 1.2; the suites of 1.3 are all good.
    static let ciphers =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"

    private init(method: OpaquePointer?, challenge: TLSContext? = nil) throws(SecureError) {
        guard let handle = unsafe SSL_CTX_new(method) else { throw SecureError("setting up TLS") }
        unsafe self.handle = handle
        self.challenge = challenge
        if let challenge { unsafe parley_ssl_ctx_answer_challenges(handle, challenge.handle) }
        unsafe parley_ssl_ctx_set_modes(handle)
        guard unsafe parley_ssl_ctx_require_tls12(handle) == 1,
            unsafe SSL_CTX_set_cipher_list(handle, Self.ciphers) == 1
        else { throw SecureError("setting up TLS") }
    }

    deinit {
        unsafe SSL_CTX_free(self.handle)
    }

    /// A server's side, from two PEM files. The first may hold the chain up to its root.
    package convenience init(certificateFile: String, keyFile: String) throws(SecureError) {
        try unsafe self.init(method: TLS_server_method())
        guard unsafe SSL_CTX_use_certificate_chain_file(self.handle, certificateFile) == 1 else {
            throw SecureError("reading the certificate in \(certificateFile)", ofFile: certificateFile)
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(self.handle, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw SecureError("reading the private key in \(keyFile)", ofFile: keyFile)
        }
        try self.finishServer("the key in \(keyFile) against the certificate in \(certificateFile)")
    }

    /// A server's side with a certificate from an authority.
    ///
    /// - Parameter challenge: what an authority sees that looks whether the name leads here.
    package convenience init(
        _ certificate: IssuedCertificate, answering challenge: TLSContext? = nil
    ) throws(SecureError) {
        try unsafe self.init(method: TLS_server_method(), challenge: challenge)
        guard unsafe parley_ssl_ctx_use_pem(self.handle, certificate.pem, certificate.pem.count) == 1 else {
            throw SecureError("using a certificate from an authority")
        }
        try self.finishServer("a certificate from an authority")
    }

    /// What an authority sees that looks for this challenge (RFC 8737 §3), and nobody else.
    package convenience init(challenge identity: SelfSignedIdentity) throws(SecureError) {
        try self.init(identity)
        unsafe parley_ssl_ctx_select_challenge(self.handle)
    }

    /// A server's side with a certificate made just now.
    package convenience init(
        _ identity: SelfSignedIdentity, answering challenge: TLSContext? = nil
    ) throws(SecureError) {
        try unsafe self.init(method: TLS_server_method(), challenge: challenge)
        guard unsafe SSL_CTX_use_certificate(self.handle, identity.certificate) == 1,
            unsafe SSL_CTX_use_PrivateKey(self.handle, identity.key) == 1
        else { throw SecureError("using a self-signed certificate") }
        try self.finishServer("a self-signed certificate")
    }

    /// A client's side that trusts the system's authorities, or nobody in particular for a trial on a LAN.
    package convenience init(clientVerifying verifies: Bool) throws(SecureError) {
        try unsafe self.init(method: TLS_client_method())
        unsafe SSL_CTX_set_verify(self.handle, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        guard !verifies || (unsafe SSL_CTX_set_default_verify_paths(self.handle)) == 1 else {
            throw SecureError("finding the system's certificate authorities")
        }
    }

    /// A client's side that trusts the authorities in a PEM file, and no others.
    package convenience init(clientTrusting file: String) throws(SecureError) {
        try self.init(clientVerifying: false)
        guard unsafe SSL_CTX_load_verify_file(self.handle, file) == 1 else {
            throw SecureError("reading the authorities in \(file)", ofFile: file)
        }
        unsafe SSL_CTX_set_verify(self.handle, SSL_VERIFY_PEER, nil)
    }

    private func finishServer(_ subject: String) throws(SecureError) {
        guard unsafe SSL_CTX_check_private_key(self.handle) == 1 else { throw SecureError("checking \(subject)") }
        unsafe parley_ssl_ctx_select_protocols(self.handle)
        // Sessions of one context resume with each other; the name only tells them from other programs'.
        let name = Array("parley".utf8)
        unsafe SSL_CTX_set_session_id_context(self.handle, name, UInt32(name.count))
    }
}
