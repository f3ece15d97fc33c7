internal import ICEServers
internal import JSON
internal import Journal
internal import Reactor
internal import SocketServer
internal import Vocabulary

/// Which STUN and TURN servers a client is told of: those of `ice-servers.json`, after the STUN service beside the
/// server itself, which goes by the name under which the client found the server.
final class ICEServerProvider {
    private let keeper: ICEServerKeeper
    /// Of our own STUN service; nil without one.
    var stunPort: UInt16?

    /// - Parameter changed: the file has changed, and clients want to know.
    init(
        _ reading: ICEServerKeeper.Reading, on reactor: Reactor, journal: Journal, changed: @escaping () -> Void
    ) {
        self.keeper = ICEServerKeeper(reading, scheduler: reactor, journal: journal) { _ in changed() }
    }

    func offer(to user: UserID, _ client: SocketClient) -> ICEServerOffer {
        let ours = self.stunPort.flatMap { port in client.host.flatMap { ICEServerURL("stun:\($0):\(port)") } }
        return self.keeper.list.offer(to: user, builtIn: ours.map { [$0] } ?? [], at: SystemClock.now())
    }
}

extension ICEServerOffer {
    /// `{"iceServers":[…],"expires":…}`
    var answer: [UInt8] {
        JSONWriter.object { json in
            json.field("iceServers", self.write)
            json.optional("expires", self.expiry?.milliseconds)
        }
    }
}
