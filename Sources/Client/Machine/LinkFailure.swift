package import HTTP2
package import Reactor
package import Secure
package import SocketIO
package import Web

/// Why there is no connection.
package enum LinkFailure: Error, Hashable, Sendable {
    /// The server did not let us in for so long.
    case connectTimedOut(after: Duration)
    /// The network said no.
    case unreachable(ReactorError)
    /// No address is known for this name.
    case unknownHost(String)
    /// This host is nowhere that a stranger's URL, or a redirect, may lead.
    case forbiddenAddress(String)
    /// TLS failed, most often because the certificate proves nothing to us.
    case insecure(SecureError)
    /// What answers there begins no WebSocket.
    case noWebSocket(WebSocketClientHandshake.Failure)
    /// The server has no time now, and says when it will.
    case putOff(for: Duration)
    /// The answer was no HTTP.
    case noHTTP(HTTPResponseError)
    case http2(HTTP2Error)
    case brokenWebSocket(WebSocketError)
    /// A message that belongs into no session of Engine.IO 4 and Socket.IO.
    case brokenPacket(SocketPacketError.Reason?)
    /// The server turned us away with one of its codes, as it does when a token is not good.
    case refused(code: String)
    /// Nothing was heard for so long that there is no connection any more.
    case silence
    /// The server closed the connection; it may be starting anew.
    case closedByServer(WebSocketCloseCode?)
    /// The server ended our session, and means it.
    case dismissed
    /// The program does not read the events it asked for.
    case eventsUnread
    /// We ended it ourselves.
    case stopped
}

extension LinkFailure {
    /// Whether another attempt makes sense.
    var mayPass: Bool {
        switch self {
        case .connectTimedOut, .unreachable, .unknownHost, .insecure, .noWebSocket, .putOff, .noHTTP, .http2, .silence,
            .closedByServer:
            true
        case .forbiddenAddress: false
        case .brokenWebSocket, .brokenPacket: true
        case .refused(let code): code == "unavailable" || code == "rate_limited"
        case .dismissed, .eventsUnread, .stopped: false
        }
    }
}

extension LinkFailure {
    /// What a server means that answers a handshake so: `Retry-After` in seconds (RFC 9110 §10.2.3), an hour at most.
    package init(_ failure: WebSocketClientHandshake.Failure, in head: HTTPResponseHead) {
        guard head.status == .serviceUnavailable || head.status == .tooManyRequests,
            let seconds = head.fields[.retryAfter].flatMap({ Int($0) }), (0...3600).contains(seconds)
        else {
            self = .noWebSocket(failure)
            return
        }
        self = .putOff(for: .seconds(seconds))
    }

    /// How long the server wants us to wait at least.
    var leastWait: Duration { if case .putOff(let wait) = self { wait } else { .zero } }
}

extension LinkFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connectTimedOut(let time): "the server did not let us in within \(time)"
        case .unreachable(let error): "\(error)"
        case .unknownHost(let name): "no address is known for \(name)"
        case .forbiddenAddress(let host):
            "\(host) is not on the public internet, or without TLS on port 443, and nobody has allowed its network"
        case .insecure(let error): "\(error)"
        case .noWebSocket(.status(let status)): "the server answered \(status) instead of a WebSocket"
        case .noWebSocket: "the server answered, but not with a WebSocket"
        case .putOff(let wait): "the server has no time; it asks to come again in \(wait)"
        case .noHTTP(let error): "the server's answer is no HTTP: \(error)"
        case .http2(let error): "\(error)"
        case .brokenWebSocket(let error): "the server broke the rules of WebSocket: \(error)"
        case .brokenPacket: "the server sent something that is no packet of Socket.IO"
        case .refused(let code): "the server turned us away: \(code)"
        case .silence: "nothing was heard from the server any more"
        case .closedByServer: "the server closed the connection"
        case .dismissed: "the server ended the session"
        case .eventsUnread: "too many events were waiting to be read"
        case .stopped: "the client was stopped"
        }
    }
}
