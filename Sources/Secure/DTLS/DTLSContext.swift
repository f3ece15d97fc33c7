internal import COpenSSL

/// A certificate with its key and the rules for using it over datagrams; many sessions share one.
///
/// DTLS 1.2, forward secrecy only, no renegotiation. SRTP is offered with its profiles.
@safe package final class DTLSContext: @unchecked Sendable {
    // Unchecked because an `SSL_CTX` may be used from any thread once it is set up, which ends with `init`.
    let handle: OpaquePointer
    /// Kept for the fingerprint that travels with an offer.
    package let identity: SelfSignedIdentity?

    private init(identity: SelfSignedIdentity?) throws(SecureError) {
        guard let handle = unsafe SSL_CTX_new(DTLS_method()) else { throw SecureError("setting up DTLS") }
        unsafe self.handle = handle
        self.identity = identity
        unsafe parley_ssl_ctx_set_modes(handle)
        unsafe parley_ssl_ctx_forget_sessions(handle)
        guard unsafe parley_ssl_ctx_require_dtls12(handle) == 1,
            unsafe SSL_CTX_set_cipher_list(handle, TLSContext.ciphers) == 1
        else { throw SecureError("setting up DTLS") }
    }

    deinit {
        unsafe SSL_CTX_free(self.handle)
    }

    /// For two peers that show each other a certificate each, and compare its fingerprint with what they were told by
    /// another way (RFC 5763). The user of a session compares; here any certificate will do.
    package convenience init(peerWith identity: SelfSignedIdentity) throws(SecureError) {
        try self.init(identity: identity)
        guard unsafe SSL_CTX_use_certificate(self.handle, identity.certificate) == 1,
            unsafe SSL_CTX_use_PrivateKey(self.handle, identity.key) == 1,
            unsafe parley_ssl_ctx_set_curves(self.handle) == 1
        else { throw SecureError("using a self-signed certificate") }
        unsafe SSL_CTX_set_verify(self.handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        unsafe parley_ssl_ctx_believe(self.handle)
        let profiles = SRTPProfile.allCases.map(\.name).joined(separator: ":")
        // Zero says that all went well, here alone.
        guard unsafe SSL_CTX_set_tlsext_use_srtp(self.handle, profiles) == 0 else {
            throw SecureError("offering SRTP")
        }
    }

    /// A server for whoever comes, with the certificate of its TLS. Clients show that their address is theirs before anything is
    /// kept of them (RFC 6347 §4.2.1).
    package convenience init(serverAs tls: TLSContext) throws(SecureError) {
        try self.init(identity: nil)
        guard unsafe parley_ssl_ctx_use_certificate_of(self.handle, tls.handle) == 1 else {
            throw SecureError("using a certificate for DTLS")
        }
        unsafe SSL_CTX_set_cookie_generate_cb(self.handle, DatagramBIO.makeCookie)
        unsafe SSL_CTX_set_cookie_verify_cb(self.handle, DatagramBIO.checkCookie)
    }

    /// A handshake with ourselves: what OpenSSL looks up and reads in once is there when a peer comes.
    package func warmUp() throws(SecureError) {
        let (client, server) = (try DTLSSession(self, role: .client), try DTLSSession(self, role: .server))
        try client.start()
        for _ in 0..<3 {
            for datagram in client.takeDatagrams() { try server.receive(datagram.span) { _ in } }
            for datagram in server.takeDatagrams() { try client.receive(datagram.span) { _ in } }
        }
    }

    /// For the client of a server, which shows a certificate that the system's authorities vouch for, or no one in
    /// particular.
    package convenience init(clientVerifying verifies: Bool) throws(SecureError) {
        try self.init(identity: nil)
        unsafe SSL_CTX_set_verify(self.handle, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        guard !verifies || (unsafe SSL_CTX_set_default_verify_paths(self.handle)) == 1 else {
            throw SecureError("finding the system's certificate authorities")
        }
    }
}
