internal import JSON
internal import SocketServer
internal import Vocabulary

/// Which STUN and TURN servers a client is told of.
///
/// There is at least the STUN service beside the server itself, under the name by which the client found the server.
final class ICEServerDesk {
    private let stunPort: UInt16?

    /// - Parameter stunPort: of our own STUN service; nil without one.
    init(stunPort: UInt16?) { self.stunPort = stunPort }

    /// The list that `RTCPeerConnection` takes.
    func list(for user: UserID, _ client: SocketClient) -> [UInt8] {
        var json = JSONWriter()
        json.array { json in
            guard let port = self.stunPort, let host = client.host else { return }
            json.object { json in
                json.key("urls")
                json.array { $0.string("stun:\(host):\(port)") }
            }
        }
        return json.bytes
    }

    /// `{"iceServers":[…]}`
    func answer(for user: UserID, _ client: SocketClient) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("iceServers")
            json.raw(self.list(for: user, client))
        }
        return json.bytes
    }
}
