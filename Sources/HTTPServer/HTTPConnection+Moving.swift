internal import Journal
internal import Reactor
internal import Web

/// A connection moves to the loop that the thing it asks for lives on, so that all work on that thing stays there.
/// It moves with a request that is not answered yet, which the other loop then answers.
extension HTTPConnection {
    /// What travels.
    struct Parcel: Sendable {
        let parser: HTTPRequestParser
        let request: HTTPRequestHead
        let held: [UInt8]
        let peerHasFinished: Bool
        let connection: DetachedConnection
        let tls: DetachedTLS?
    }

    /// Takes up what another loop has let go, and answers its request.
    static func arrive(_ parcel: Parcel, _ server: HTTPLoopServer) {
        do throws(ReactorError) {
            let connection = try TCPConnection(parcel.connection, on: server.reactor)
            guard let tls = parcel.tls else {
                return Self.settle(parcel, on: connection, server) { connection.start($0) }
            }
            let stream = TLSStream(tls, over: connection)
            Self.settle(parcel, on: stream, server) {
                stream.start($0)
                connection.start(stream)
            }
            stream.readOn()
        } catch {
            server.connectionEnded(.failed(error), parcel.connection.peer)
            server.journal.error(.connectionLost, "a connection could not move to its loop", [.error: .error(error)])
        }
    }

    /// The rules of the room hold for those who move in, too: where it is full, they go.
    private static func settle(
        _ parcel: Parcel, on stream: any ByteStream, _ server: HTTPLoopServer, start: (any StreamHandler) -> Void
    ) {
        guard !server.isFull else {
            server.connectionEnded(.closed, stream.peer)
            if let farewell = server.turnAway(stream) { start(farewell) } else { stream.abort() }
            return
        }
        let http = HTTPConnection(parcel, on: stream, server)
        start(http)
        http.resume(parcel.request)
    }
}

extension LogName {
    static let connectionLost = LogName("connection.lost")
}
