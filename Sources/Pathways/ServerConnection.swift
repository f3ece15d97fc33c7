internal import HTTPServer
package import ICE
package import Reactor
internal import Secure
package import Vocabulary

/// Who is told what happens on a line, always on its loop and never within a call to the line.
package protocol ServerConnectionHandler: AnyObject {
    func opened(_ line: ServerConnection)
    /// A datagram, or what a stream brought. The bytes are lent for the time of the call.
    func received(_ bytes: Span<UInt8>, on line: ServerConnection)
    /// The last call of all; not after `close`.
    func ended(_ reason: String, _ line: ServerConnection)
}

/// Carries messages to a STUN or TURN server and back: over UDP, TCP, TLS or DTLS.
package final class ServerConnection {
    package let transport: TURNTransport
    package let server: SocketAddress
    private let trust: ServerTrust
    private let reactor: Reactor
    private var handler: (any ServerConnectionHandler)?
    private var carrier = Carrier.none
    private var timer: TimerToken?
    private var isOpen = false

    private enum Carrier {
        case none
        case datagrams(UDPSocket)
        case stream(any ByteStream)
        case protected(UDPSocket, DTLSSession)
    }

    package init(
        _ transport: TURNTransport, to server: SocketAddress, trust: ServerTrust, on reactor: Reactor,
        handler: any ServerConnectionHandler
    ) {
        self.transport = transport
        self.server = server
        self.trust = trust
        self.reactor = reactor
        self.handler = handler
    }

    /// Tells the handler how that went, within the time.
    package func open(within timeout: Duration = .seconds(5)) {
        self.timer = self.reactor.schedule(after: timeout) { self.end("no connection in \(timeout)") }
        switch self.transport {
        case .udp, .dtls: self.openSocket()
        case .tcp, .tls: self.connect(timeout)
        }
    }

    package func send(_ bytes: Span<UInt8>) {
        switch self.carrier {
        case .none: return
        case .datagrams(let socket): socket.send(bytes, to: self.server)
        case .stream(let stream): stream.write(bytes)
        case .protected(let socket, let session):
            guard (try? session.send(bytes)) != nil else { return }
            self.flush(session, to: socket)
        }
    }

    package func close() {
        self.handler = nil
        self.letGo()
    }

    private func letGo() {
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        let carrier = self.carrier
        self.carrier = .none
        switch carrier {
        case .none: return
        case .datagrams(let socket): socket.close()
        case .stream(let stream): stream.close()
        case .protected(let socket, let session):
            session.close()
            self.flush(session, to: socket)
            self.reactor.schedule(after: .zero) { socket.close() }
        }
    }

    private func opened() {
        guard !self.isOpen else { return }
        self.isOpen = true
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.handler?.opened(self)
    }

    private func end(_ reason: String) {
        let handler = self.handler.take()
        self.letGo()
        handler?.ended(reason, self)
    }
}

// MARK: - Datagrams

extension ServerConnection: DatagramHandler {
    private func openSocket() {
        do throws(ReactorError) {
            let socket = try UDPSocket(on: SocketAddress(self.server.ip.anyOfFamily, port: 0), reactor: self.reactor)
            socket.start(self)
            guard self.transport == .dtls else {
                self.carrier = .datagrams(socket)
                self.reactor.schedule(after: .zero) { self.opened() }
                return
            }
            self.shakeHands(over: socket)
        } catch {
            self.reactor.schedule(after: .zero) { self.end("\(error)") }
        }
    }

    private func shakeHands(over socket: UDPSocket) {
        do throws(SecureError) {
            let session = try DTLSSession(try self.trust.dtls(), role: .clientOf(name: self.trust.name))
            self.carrier = .protected(socket, session)
            try session.start()
            self.flush(session, to: socket)
            self.watchTime(of: session, socket)
        } catch {
            self.reactor.schedule(after: .zero) { self.end("\(error)") }
        }
    }

    package func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        guard peer == self.server else { return }
        guard case .protected(_, let session) = self.carrier else {
            self.handler?.received(datagram, on: self)
            return
        }
        do throws(SecureError) {
            try session.receive(datagram) { self.handler?.received($0, on: self) }
            self.flush(session, to: socket)
            if session.isEstablished { self.opened() }
            if session.isClosedByPeer { self.end("the server closed it") }
        } catch {
            self.flush(session, to: socket)
            self.end("\(error)")
        }
    }

    private func flush(_ session: DTLSSession, to socket: UDPSocket) {
        for datagram in session.takeDatagrams() { socket.send(datagram.span, to: self.server) }
    }

    /// Repeats what the server did not answer, for as long as the handshake lasts.
    private func watchTime(of session: DTLSSession, _ socket: UDPSocket) {
        guard !self.isOpen, let timeout = session.timeout else { return }
        self.reactor.schedule(after: max(timeout, .milliseconds(10))) {
            guard case .protected(_, let current) = self.carrier, current === session else { return }
            do throws(SecureError) {
                try session.timedOut()
                self.flush(session, to: socket)
                self.watchTime(of: session, socket)
            } catch {
                self.end("\(error)")
            }
        }
    }
}

// MARK: - Streams

extension ServerConnection: StreamHandler {
    private func connect(_ timeout: Duration) {
        self.reactor.connect(to: self.server, timeout: timeout) { result in
            switch result {
            case .success(let connection): self.connected(connection)
            case .failure(let error): self.end("\(error)")
            }
        }
    }

    private func connected(_ connection: TCPConnection) {
        guard self.handler != nil else { return connection.abort() }
        guard self.transport == .tls else {
            self.carrier = .stream(connection)
            connection.start(self)
            return self.opened()
        }
        do throws(SecureError) {
            try TLSStream.open(over: connection, try self.trust.tls(), to: self.trust.name) { stream in
                self.carrier = .stream(stream)
                stream.established = { self.opened() }
                return self
            }
        } catch {
            connection.abort()
            self.end("\(error)")
        }
    }

    package func received(_ bytes: inout MutableSpan<UInt8>) { self.handler?.received(bytes.span, on: self) }
    package func peerFinished() { self.end("the server closed it") }
    package func drained() {}

    package func ended(_ end: StreamEnd) {
        if case .stream(let stream) = self.carrier, let failure = (stream as? TLSStream)?.failure {
            return self.end("\(failure)")
        }
        if case .failed(let error) = end { return self.end("\(error)") }
        self.end("the server closed it")
    }
}

/// Whose word counts for who the server is.
package struct ServerTrust: Hashable, Sendable {
    /// The name or the address that its certificate has to prove.
    package let name: String
    /// Any certificate will do: for a trial on a LAN.
    package let isBlind: Bool

    package init(name: String, isBlind: Bool = false) {
        self.name = name
        self.isBlind = isBlind
    }

    func tls() throws(SecureError) -> TLSContext { try TLSContext(clientVerifying: !self.isBlind) }
    func dtls() throws(SecureError) -> DTLSContext { try DTLSContext(clientVerifying: !self.isBlind) }
}

extension IPAddress {
    var anyOfFamily: IPAddress {
        switch self {
        case .v4: .any
        case .v6: .any6
        }
    }
}
