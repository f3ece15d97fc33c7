internal import COpenSSL

/// What lies between OpenSSL and the network for one session: each write is a datagram, each read takes one.
@safe final class DatagramBIO {
    private(set) var outgoing: [[UInt8]] = []
    fileprivate var incoming: [UInt8]?
    var retries: DTLSRetries
    fileprivate var repeats = 0
    /// What the other side has to show, the newest first.
    var cookies: [[UInt8]] = []

    init(_ retries: DTLSRetries) {
        self.retries = retries
    }

    func offer(_ datagram: [UInt8]) { self.incoming = datagram }

    func takeOutgoing() -> [[UInt8]] {
        defer { self.outgoing = [] }
        return self.outgoing
    }

    /// A handle for OpenSSL. It does not keep this object alive; the session keeps both.
    func makeHandle() -> OpaquePointer? {
        guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    fileprivate static func of(_ bio: OpaquePointer?) -> DatagramBIO? {
        guard let data = unsafe BIO_get_data(bio) else { return nil }
        return unsafe Unmanaged<DatagramBIO>.fromOpaque(data).takeUnretainedValue()
    }

    /// Made once for the program, never changed after.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = unsafe BIO_meth_new(kind, "datagrams") else { return nil }
        unsafe BIO_meth_set_write(method) { bio, bytes, count in
            guard let bytes = unsafe bytes, count > 0, let here = unsafe DatagramBIO.of(bio) else { return -1 }
            let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
            here.outgoing.append(unsafe [UInt8](buffer))
            return count
        }
        unsafe BIO_meth_set_read(method) { bio, bytes, room in
            unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let bytes = unsafe bytes, let here = unsafe DatagramBIO.of(bio),
                let datagram = here.incoming.take()
            else {
                unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return -1
            }
            let count = min(Int(room), datagram.count)
            unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: datagram, byteCount: count)
            return Int32(count)
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP ? 1 : 0
        }
        return unsafe method
    }()
}

extension DatagramBIO {
    /// OpenSSL asks for the next pause: with zero before a flight's first repetition, with the last pause after it.
    static let nextPause: DTLS_timer_cb = { ssl, last in
        guard let here = unsafe DatagramBIO.of(SSL_get_rbio(ssl)) else { return 1_000_000 }
        here.repeats = last == 0 ? 0 : here.repeats + 1
        return here.retries.pause(before: here.repeats)
    }
}

extension DatagramBIO {
    private static let mostCookieBytes = 255

    /// OpenSSL asks what the client is to show.
    static let makeCookie:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?) -> Int32 =
            { ssl, bytes, count in
                guard let here = unsafe DatagramBIO.of(SSL_get_rbio(ssl)), let cookie = here.cookies.first,
                    let bytes = unsafe bytes, let count = unsafe count, cookie.count <= DatagramBIO.mostCookieBytes
                else { return 0 }
                unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: cookie, byteCount: cookie.count)
                unsafe count.pointee = UInt32(cookie.count)
                return 1
            }

    /// And whether it did.
    static let checkCookie: @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, UInt32) -> Int32 = {
        ssl, bytes, count in
        guard let here = unsafe DatagramBIO.of(SSL_get_rbio(ssl)), let bytes = unsafe bytes else { return 0 }
        let shown = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(count)))
        return here.cookies.contains(shown) ? 1 : 0
    }
}

/// When an unanswered flight is sent again.
///
/// The ways of OpenSSL, a second and then the double, are too patient for a call: with 10 % loss every tenth handshake
/// would take longer than a ringing tone.
package struct DTLSRetries: Hashable, Sendable {
    /// Before the first repetitions.
    package let first: Duration

    /// - Parameter roundTrip: as the way was measured before, if it was.
    package init(roundTrip: Duration? = nil) {
        self.first = roundTrip.map { min(max($0 * 6 / 5, .milliseconds(30)), .seconds(1)) } ?? .milliseconds(250)
    }

    /// In microseconds: the same four times, then twice as long each time.
    func pause(before repetition: Int) -> UInt32 {
        let doublings = min(max(0, repetition - 3), 10)
        let pause = self.first * (1 << doublings)
        return UInt32(clamping: min(pause, .seconds(8)).components.attoseconds / 1_000_000_000_000)
            + UInt32(clamping: min(pause, .seconds(8)).components.seconds * 1_000_000)
    }
}
