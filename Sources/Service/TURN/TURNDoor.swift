internal import HTTPServer
internal import Reactor
internal import Secure

/// Lets connections in to the TURN server once there is who serves them: with TLS and without, on one port. The first byte of
/// a TLS record is none of a STUN message or of channel data (RFC 7983 §7).
final class TURNDoor {
    weak var service: TURNService?
    /// What is new is encrypted with it.
    private let certificate: () -> TLSContext?

    static let handshake: UInt8 = 22

    init(certificate: @escaping () -> TLSContext?) { self.certificate = certificate }

    func accept(_ connection: TCPConnection) -> (any StreamHandler)? {
        guard self.service?.isFull == false else { return nil }
        return UnknownStream(connection, self)
    }

    fileprivate func settle(_ connection: TCPConnection, _ bytes: inout MutableSpan<UInt8>) {
        guard bytes[0] == Self.handshake else { return self.settlePlain(connection, &bytes) }
        do throws(SecureError) {
            guard let context = self.certificate() else { return connection.abort() }
            try TLSStream.accept(&bytes, over: connection, context) { self.service?.accept($0) }
        } catch {
            connection.abort()
        }
    }

    private func settlePlain(_ connection: TCPConnection, _ bytes: inout MutableSpan<UInt8>) {
        guard let client = self.service?.accept(connection) else { return connection.abort() }
        connection.replaceHandler(with: client)
        client.received(&bytes)
    }
}

/// A connection on which nothing has been said yet.
private final class UnknownStream: StreamHandler {
    private let connection: TCPConnection
    private let door: TURNDoor
    private var silence: TimerToken?

    private static let silenceTimeout = Duration.seconds(30)

    init(_ connection: TCPConnection, _ door: TURNDoor) {
        self.connection = connection
        self.door = door
        self.silence = connection.reactor.schedule(after: Self.silenceTimeout) { [weak connection] in
            connection?.abort()
        }
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        guard bytes.count > 0 else { return }
        self.forgetTime()
        self.door.settle(self.connection, &bytes)
    }

    func peerFinished() { self.connection.close() }
    func drained() {}
    func ended(_ end: StreamEnd) { self.forgetTime() }

    private func forgetTime() {
        if let timer = self.silence.take() { self.connection.reactor.cancel(timer) }
    }
}
