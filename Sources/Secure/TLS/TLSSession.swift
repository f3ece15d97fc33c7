internal import COpenSSL

/// One TLS connection between two heaps of bytes: what came from the network and what is to go there.
@safe package final class TLSSession {
    private let ssl: OpaquePointer
    /// Its callbacks look at what it keeps.
    private let context: TLSContext
    /// Both belong to `ssl` and are freed with it.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    package enum Role: Sendable {
        case server
        /// The name is checked against the certificate and told to the server, and so are the protocols that we speak, where
        /// the usual one is not meant (RFC 7301).
        case client(name: String, protocols: [String] = [])
    }

    package init(_ context: TLSContext, role: Role = .server) throws(SecureError) {
        guard let ssl = unsafe SSL_new(context.handle) else { throw SecureError("starting a TLS session") }
        guard let incoming = unsafe parley_memory_bio(), let outgoing = unsafe parley_memory_bio() else {
            unsafe SSL_free(ssl)
            throw SecureError("starting a TLS session")
        }
        unsafe self.ssl = ssl
        self.context = context
        unsafe self.incoming = incoming
        unsafe self.outgoing = outgoing
        unsafe SSL_set_bio(ssl, incoming, outgoing)
        switch role {
        case .server: unsafe SSL_set_accept_state(ssl)
        case .client(let name, let protocols):
            unsafe SSL_set_connect_state(ssl)
            unsafe parley_ssl_set_server_name(ssl, name)
            let list = protocols.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8) }
            // Zero is success here, unlike everywhere else.
            guard list.isEmpty || (unsafe SSL_set_alpn_protos(ssl, list, UInt32(list.count))) == 0 else {
                throw SecureError("offering a protocol by TLS")
            }
        }
    }

    deinit {
        unsafe SSL_free(self.ssl)
    }

    package var isEstablished: Bool { unsafe SSL_is_init_finished(self.ssl) == 1 }

    /// What the server chose of the protocols that were offered.
    package var applicationProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(self.ssl, &start, &count)
        guard count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Takes what came from the network.
    package func receive(_ ciphertext: Span<UInt8>) {
        unsafe ciphertext.withUnsafeBufferPointer { source in
            _ = unsafe BIO_write(self.incoming, source.baseAddress, Int32(source.count))
        }
    }

    package enum Reading: Hashable, Sendable {
        case bytes(Int)
        /// Nothing more until more comes from the network.
        case later
        /// The peer said goodbye.
        case end
    }

    /// Goes on with the handshake, or decrypts into `buffer`.
    package func read(into buffer: inout MutableSpan<UInt8>) throws(SecureError) -> Reading {
        ERR_clear_error()
        let count = unsafe buffer.withUnsafeMutableBufferPointer { target in
            unsafe SSL_read(self.ssl, target.baseAddress, Int32(target.count))
        }
        guard count <= 0 else { return .bytes(Int(count)) }
        switch unsafe SSL_get_error(self.ssl, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .later
        case SSL_ERROR_ZERO_RETURN: return .end
        default: throw SecureError("a TLS connection")
        }
    }

    /// Begins the handshake where that is ours to begin.
    package func start() throws(SecureError) {
        let code = unsafe SSL_do_handshake(self.ssl)
        guard code <= 0 else { return }
        let error = unsafe SSL_get_error(self.ssl, code)
        guard error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE else {
            throw SecureError("a TLS handshake")
        }
    }

    /// Encrypts. Only once the session is established.
    package func write(_ plaintext: Span<UInt8>) throws(SecureError) {
        var done = 0
        while done < plaintext.count {
            let rest = plaintext.extracting(done..<plaintext.count)
            let count = unsafe rest.withUnsafeBufferPointer { source in
                unsafe SSL_write(self.ssl, source.baseAddress, Int32(clamping: source.count))
            }
            guard count > 0 else { throw SecureError("writing to a TLS connection") }
            done += Int(count)
        }
    }

    /// Says goodbye.
    package func close() {
        unsafe SSL_shutdown(self.ssl)
        ERR_clear_error()
    }

    /// Hands over what is to go to the network, if anything.
    package func takeCiphertext(_ body: (Span<UInt8>) -> Void) {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe parley_bio_contents(self.outgoing, &start)
        guard count > 0, let start = unsafe start else { return }
        body(unsafe Span(_unsafeStart: start, count: count))
        unsafe parley_bio_reset(self.outgoing)
    }
}
