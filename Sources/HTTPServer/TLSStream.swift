internal import Bytes
package import Reactor
package import Secure
package import Vocabulary

/// The state of a TLS stream on its way from one loop to another.
struct DetachedTLS: @unchecked Sendable {
    // Unchecked because a session is not safe to share; it is handed over and its old owner lets go of it.
    let session: TLSSession
    let pending: [UInt8]
}

/// TLS over a TCP connection: it looks like any stream from above and like any handler from below.
///
/// Plaintext written within a turn is gathered first and encrypted at the turn's end, so that many small writes
/// become few records. A peer that has said goodbye may still read; one that has broken the rules is told so and closed.
package final class TLSStream: ByteStream, StreamHandler, EndOfTurn {
    private let below: TCPConnection
    private let session: TLSSession
    private var handler: (any StreamHandler)?
    private var pending: [UInt8] = []
    private var isGathered = false
    private var isClosing = false
    /// More waited than the high-water mark allows; who writes waits to be told.
    private var isFull = false
    /// What is written at once is a record of its own: for clients that take what they read at once for one message.
    package var keepsWritesApart = false
    /// Called once, when the handshake is done.
    package var established: (() -> Void)?
    /// What broke the handshake, or a record after it.
    package private(set) var failure: SecureError?

    /// The largest record of TLS.
    private static let recordSize = 16_384

    init(over below: TCPConnection, _ session: TLSSession) {
        self.below = below
        self.session = session
    }

    /// Takes up on this loop what another has let go.
    init(_ detached: DetachedTLS, over below: TCPConnection) {
        self.below = below
        self.session = detached.session
        self.pending = detached.pending
        if !self.pending.isEmpty { self.gather() }
    }

    /// Lets go of the connection, so that another loop can take it up.
    func detach() throws(ReactorError) -> (DetachedConnection, DetachedTLS) {
        self.turnEnded()
        // Until this has succeeded the handler has to hear of the end.
        let connection = try self.below.detach()
        self.handler = nil
        return (connection, DetachedTLS(session: self.session, pending: self.pending))
    }

    package func start(_ handler: any StreamHandler) {
        self.handler = handler
    }

    /// The client's side, which speaks first. `name` is the name or the address that the certificate has to prove.
    package static func open(
        over below: TCPConnection, _ context: TLSContext, to name: String, protocols: [String] = [],
        handler: (TLSStream) -> any StreamHandler
    ) throws(SecureError) {
        let session = try TLSSession(context, role: .client(name: name, protocols: protocols))
        try session.start()
        let stream = TLSStream(over: below, session)
        below.start(stream)
        stream.start(handler(stream))
        stream.gather()
    }

    /// The server's side, on a connection whose client's first bytes have been read already.
    package static func accept(
        _ received: inout MutableSpan<UInt8>, over below: TCPConnection, _ context: TLSContext,
        handler: (TLSStream) -> (any StreamHandler)?
    ) throws(SecureError) {
        let stream = TLSStream(over: below, try TLSSession(context))
        guard let handler = handler(stream) else { return below.abort() }
        stream.start(handler)
        below.replaceHandler(with: stream)
        stream.received(&received)
    }

    package var reactor: Reactor { self.below.reactor }
    package var peer: SocketAddress { self.below.peer }
    package var isEncrypted: Bool { true }
    package var isNewcomer: Bool {
        get { self.below.isNewcomer }
        set { self.below.isNewcomer = newValue }
    }
    /// What both sides have agreed on to speak, once the handshake is done.
    package var applicationProtocol: String? { self.session.applicationProtocol }
    package var isOpen: Bool { self.below.isOpen && !self.isClosing }
    package var queuedBytes: Int { self.pending.count + self.below.queuedBytes }

    package func replaceHandler(with handler: any StreamHandler) {
        if self.handler != nil { self.handler = handler }
    }

    package func pauseReading() { self.below.pauseReading() }
    package func resumeReading() { self.below.resumeReading() }
    package func abort() { self.below.abort() }
}

// MARK: - Writing

extension TLSStream {
    package func write(_ bytes: Span<UInt8>) {
        guard self.isOpen else { return }
        self.pending.append(copying: bytes)
        if self.queuedBytes > self.below.policy.value.highWater { self.isFull = true }
        if self.keepsWritesApart, !self.encryptPending() { return }
        self.gather()
    }

    package func write(_ head: Span<UInt8>, _ body: Span<UInt8>) {
        self.write(head)
        self.write(body)
    }

    package func write(_ shared: SharedBytes) { self.write(shared.span) }

    package func close() {
        guard self.isOpen else { return }
        self.isClosing = true
        self.gather()
    }

    private func gather() {
        guard !self.isGathered else { return }
        self.isGathered = true
        self.reactor.atEndOfTurn(self)
    }

    package func turnEnded() {
        self.isGathered = false
        guard self.below.isOpen, self.encryptPending() else { return }
        if self.isClosing, self.pending.isEmpty { self.session.close() }
        self.session.takeCiphertext { self.below.write($0) }
        if self.isClosing { self.below.close() }
        // What was too much here may have left in the meantime; if not, the connection below will tell.
        if self.below.queuedBytes <= self.below.policy.value.highWater { self.drained() }
    }

    /// Before the handshake is done the plaintext has to wait for it.
    private func encryptPending() -> Bool {
        guard self.session.isEstablished, !self.pending.isEmpty else { return true }
        let plaintext = self.pending
        self.pending = []
        do throws(SecureError) {
            try self.encrypt(plaintext.span)
            return true
        } catch {
            self.below.abort()
            return false
        }
    }

    /// Record by record: OpenSSL's buffer never shrinks, and clears itself as a whole each time it is emptied.
    private func encrypt(_ plaintext: Span<UInt8>) throws(SecureError) {
        var rest = plaintext
        while rest.count > 0 {
            try self.session.write(rest.extracting(first: Self.recordSize))
            self.session.takeCiphertext { self.below.write($0) }
            rest = rest.extracting(droppingFirst: Self.recordSize)
        }
    }
}

// MARK: - Reading

extension TLSStream {
    package func received(_ bytes: inout MutableSpan<UInt8>) {
        self.session.receive(bytes.span)
        self.readOn()
    }

    /// Reads what has come already. On a stream from another loop nothing else would ask for the records that came
    /// together with the request it moved with.
    func readOn() {
        self.readAll()
        // A stream that has just left for another loop asks its session nothing more.
        if self.established != nil, self.session.isEstablished { self.established.take()?() }
        // Whatever the handshake, a ticket or an alert wants to send.
        self.gather()
    }

    private func readAll() {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.recordSize, alignment: 16) { scratch in
            let buffer = unsafe scratch.bindMemory(to: UInt8.self)
            unsafe buffer.initialize(repeating: 0)
            while self.isOpen {
                var view = unsafe MutableSpan(_unsafeElements: buffer)
                guard self.readOnce(into: &view) else { return }
            }
        }
    }

    private func readOnce(into view: inout MutableSpan<UInt8>) -> Bool {
        do throws(SecureError) {
            switch try self.session.read(into: &view) {
            case .bytes(let count):
                var plaintext = view._mutatingExtracting(first: count)
                self.handler?.received(&plaintext)
                return true
            case .later:
                return false
            case .end:
                self.handler?.peerFinished()
                return false
            }
        } catch {
            self.failed(error)
            return false
        }
    }

    /// The alert that tells the peer why goes out before the end.
    private func failed(_ error: SecureError) {
        self.failure = error
        self.pending = []
        self.session.takeCiphertext { self.below.write($0) }
        self.below.close()
    }

    package func peerFinished() { self.handler?.peerFinished() }

    package func drained() {
        guard self.isFull, self.pending.isEmpty else { return }
        self.isFull = false
        if self.isOpen { self.handler?.drained() }
    }

    package func ended(_ end: StreamEnd) { self.handler.take()?.ended(end) }
}
