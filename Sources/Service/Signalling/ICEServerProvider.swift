internal import ICEServers
internal import JSON
internal import Journal
internal import Reactor
internal import SocketServer
internal import Vocabulary

/// Which STUN and TURN servers a client is told of: those of `ice-servers.json`, after those
/// that the server is itself, which go by the name under which the client found it.
final class ICEServerProvider {
    private let keeper: ICEServerKeeper
    /// Nil without any.
    var builtIn: BuiltInICEServers?

    /// - Parameter changed: the file has changed, and clients want to know.
    init(
        _ reading: ICEServerKeeper.Reading, on reactor: Reactor, journal: Journal, changed: @escaping () -> Void
    ) {
        self.keeper = ICEServerKeeper(reading, scheduler: reactor, journal: journal) { _ in changed() }
    }

    /// - Parameter seat: the seat that they are good for; nil for whatever the user does.
    func offer(to user: UserID, in seat: RelaySeat? = nil, _ client: SocketClient) -> ICEServerOffer {
        let ours = self.builtIn.flatMap { builtIn in client.host.map { builtIn.servers(at: $0) } }
        return self.keeper.list.offer(to: user, in: seat, builtIn: ours ?? [], at: SystemClock.now())
    }
}

extension ICEServerOffer {
    /// `{"iceServers":[…],"expires":…,"quota":…}`
    func answer(_ quota: BuiltInICEServers.Quota? = nil) -> [UInt8] {
        JSONWriter.object { json in
            json.field("iceServers", self.write)
            json.optional("expires", self.expiry?.milliseconds)
            guard let quota else { return }
            json.object("quota") { json in
                json.field("allocations", quota.allocations)
                json.field("bitsPerSecond", quota.bitsPerSecond)
            }
        }
    }
}
