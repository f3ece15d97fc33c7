internal import Bytes
internal import COpenSSL

/// One DTLS association between heaps of datagrams: what came from the network and what is to go there.
///
/// It repeats what was not answered when it is told that its time has come (`timeout`, `timedOut`). Everything that
/// arrives is to be handed in, also when the handshake is done: the other side may have missed its last flight.
@safe package final class DTLSSession {
    private let ssl: OpaquePointer
    private let bio: DatagramBIO
    private let buffer = HandshakeBuffer()
    private let context: DTLSContext
    private let isClient: Bool
    package private(set) var isClosedByPeer = false

    package enum Role: Hashable, Sendable {
        case server
        case client
        /// The name is told to the server, and checked against its certificate where certificates are checked.
        case clientOf(name: String)
    }

    /// What fits through every path that carries IPv6, with room for the headers and a relay's.
    package static let datagramSize = 1200

    package init(
        _ context: DTLSContext, role: Role, retries: DTLSRetries = DTLSRetries(),
        datagramSize: Int = DTLSSession.datagramSize
    ) throws(SecureError) {
        guard let ssl = unsafe SSL_new(context.handle) else { throw SecureError("starting a DTLS session") }
        self.bio = DatagramBIO(retries)
        guard let handle = unsafe self.bio.makeHandle() else {
            unsafe SSL_free(ssl)
            throw SecureError("starting a DTLS session")
        }
        unsafe self.ssl = ssl
        self.context = context
        self.isClient = role != .server
        // One handle for both ways, and it is freed with `ssl`.
        unsafe SSL_set_bio(ssl, handle, handle)
        unsafe parley_ssl_set_datagram_size(ssl, datagramSize)
        unsafe DTLS_set_timer_cb(ssl, DatagramBIO.nextPause)
        switch role {
        case .server: unsafe SSL_set_accept_state(ssl)
        case .client: unsafe SSL_set_connect_state(ssl)
        case .clientOf(let name):
            unsafe SSL_set_connect_state(ssl)
            unsafe parley_ssl_set_server_name(ssl, name)
        }
    }

    deinit {
        unsafe SSL_free(self.ssl)
    }

    package var isEstablished: Bool { unsafe SSL_is_init_finished(self.ssl) == 1 }

    /// Begins the handshake, or goes on with it.
    package func start() throws(SecureError) {
        ERR_clear_error()
        let code = self.buffer.allocating { unsafe SSL_do_handshake(self.ssl) }
        guard code <= 0 else { return }
        try self.check(code, "a DTLS handshake")
    }

    /// Takes the first datagram of a client that may not be where it says. Nothing is remembered of it unless it shows one of the
    /// cookies; then the handshake begins. The answer that tells it the first of them is no longer than its question.
    ///
    /// - Returns: whether this session is the client's now.
    package func listen(_ datagram: Span<UInt8>, cookies: [[UInt8]]) throws(SecureError) -> Bool {
        self.wake()
        self.bio.cookies = cookies
        self.bio.offer([UInt8](copying: datagram))
        ERR_clear_error()
        let code = unsafe parley_dtls_listen(self.ssl)
        guard code >= 0 else { throw SecureError("a DTLS client's first message") }
        guard code > 0 else { return false }
        try self.start()
        return true
    }

    /// Takes a datagram from the network, goes on with the handshake, and hands over what was in it for us.
    package func receive(_ datagram: Span<UInt8>, _ deliver: (Span<UInt8>) -> Void) throws(SecureError) {
        self.wake()
        self.bio.offer([UInt8](copying: datagram))
        if !self.isEstablished { try self.start() }
        // A datagram may hold several records, and each read takes one.
        var plaintext = [UInt8](repeating: 0, count: 2048)
        while true {
            ERR_clear_error()
            let count = unsafe plaintext.withUnsafeMutableBufferPointer { target in
                unsafe SSL_read(self.ssl, target.baseAddress, Int32(target.count))
            }
            guard count > 0 else { return try self.check(count, "a DTLS session") }
            deliver(plaintext.span.extracting(first: Int(count)))
        }
    }

    /// Encrypts one datagram. Only once the session is established.
    package func send(_ plaintext: Span<UInt8>) throws(SecureError) {
        self.wake()
        ERR_clear_error()
        let count = unsafe plaintext.withUnsafeBufferPointer { source in
            unsafe SSL_write(self.ssl, source.baseAddress, Int32(clamping: source.count))
        }
        guard count == plaintext.count else { throw SecureError("writing to a DTLS session") }
    }

    /// When flights are repeated from now on.
    package var retries: DTLSRetries {
        get { self.bio.retries }
        set { self.bio.retries = newValue }
    }

    /// Gives back the memory that only handshakes need. Whatever comes takes it again.
    package func releaseBuffers() {
        unsafe SSL_free_buffers(self.ssl)
        self.buffer.discard()
    }

    private func wake() { unsafe SSL_alloc_buffers(self.ssl) }

    /// Says goodbye.
    package func close() {
        self.wake()
        unsafe SSL_shutdown(self.ssl)
        ERR_clear_error()
    }

    /// The datagrams that are to go to the network.
    package func takeDatagrams() -> [[UInt8]] { self.bio.takeOutgoing() }

    private func check(_ code: Int32, _ attempt: String) throws(SecureError) {
        switch unsafe SSL_get_error(self.ssl, code) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        case SSL_ERROR_ZERO_RETURN: self.isClosedByPeer = true
        // No system call is made here: OpenSSL 3.0.19 says this of a record that it has discarded (RFC 6347 §4.1.2.7).
        case SSL_ERROR_SYSCALL where ERR_peek_error() == 0: return
        default: throw SecureError(attempt)
        }
    }
}

// MARK: - Time

extension DTLSSession {
    /// How long from now until `timedOut` wants to be called; nil while nothing waits for an answer.
    package var timeout: Duration? {
        let microseconds = unsafe parley_dtls_timeout(self.ssl)
        return microseconds < 0 ? nil : .microseconds(microseconds)
    }

    /// Repeats what was not answered. Throws when that was done too often.
    package func timedOut() throws(SecureError) {
        self.wake()
        ERR_clear_error()
        guard unsafe parley_dtls_timed_out(self.ssl) >= 0 else { throw SecureError("a DTLS handshake") }
    }
}

// MARK: - What the two have in common

extension DTLSSession {
    /// SHA-256 over the certificate that the other side showed, as SDP writes it: `AB:CD:…`.
    package var peerFingerprint: String? {
        guard let certificate = unsafe SSL_get1_peer_certificate(self.ssl) else { return nil }
        defer { unsafe X509_free(certificate) }
        return unsafe SelfSignedIdentity.fingerprint(of: certificate)
    }

    /// What that certificate comes to under a hash function, by the name SDP has for it; nil for functions that no one
    /// should trust any more, and before a certificate was shown.
    package func peerDigest(_ algorithm: String) -> [UInt8]? {
        guard let function = unsafe Self.hashFunction(algorithm),
            let certificate = unsafe SSL_get1_peer_certificate(self.ssl)
        else { return nil }
        defer { unsafe X509_free(certificate) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe X509_digest(certificate, function, &digest, &count) == 1 else { return nil }
        return Array(digest.prefix(Int(count)))
    }

    private static func hashFunction(_ name: String) -> OpaquePointer? {
        switch name {
        case "sha-256": unsafe EVP_sha256()
        case "sha-384": unsafe EVP_sha384()
        case "sha-512": unsafe EVP_sha512()
        default: nil
        }
    }

    /// The profile that was agreed on, and the keys for it; nil before the handshake is done and without SRTP.
    package func srtpKeys() throws(SecureError) -> SRTPKeys? {
        guard self.isEstablished, let chosen = unsafe SSL_get_selected_srtp_profile(self.ssl),
            let profile = SRTPProfile(rawValue: unsafe chosen.pointee.id)
        else { return nil }
        let exported = try self.export("EXTRACTOR-dtls_srtp", count: SRTPKeys.exportedLength(profile))
        return SRTPKeys(profile, exported: exported, isClient: self.isClient)
    }

    /// Nil before the handshake is done, and where nothing was agreed on for SRTP.
    package var ciphers: DTLSCiphers? {
        guard self.isEstablished, let cipher = unsafe SSL_get_current_cipher(self.ssl),
            let name = unsafe SSL_CIPHER_standard_name(cipher),
            let chosen = unsafe SSL_get_selected_srtp_profile(self.ssl),
            let profile = SRTPProfile(rawValue: unsafe chosen.pointee.id)
        else { return nil }
        let version = String(unsafe SSL_version(self.ssl), radix: 16, uppercase: true)
        return DTLSCiphers(version: version, cipher: unsafe String(cString: name), srtp: profile.registeredName)
    }

    /// Bytes that only the two sides know (RFC 5705).
    package func export(_ label: String, count: Int) throws(SecureError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let code = unsafe SSL_export_keying_material(
            self.ssl, &bytes, count, label, label.utf8.count, nil, 0, 0)
        guard code == 1 else { throw SecureError("exporting keys from a DTLS session") }
        return bytes
    }
}
