internal import ICE
package import Pathways
package import Reactor
internal import SRTP
package import Secure

/// What all connections of one loop share: a certificate, and what is known of the machine's addresses and names.
package final class PeerConnectionFactory {
    package let reactor: Reactor
    private let context: DTLSContext
    private let watch: InterfaceWatch
    private let names: LocalNames
    private let sockets: SharedSockets

    package init(on reactor: Reactor) throws(SecureError) {
        self.reactor = reactor
        self.context = try DTLSContext(peerWith: SelfSignedIdentity(names: ["parley"]))
        // What libraries do once would otherwise keep the first caller waiting for longer than all that is the call's own.
        SRTPSession.prepare()
        try self.context.warmUp()
        self.watch = InterfaceWatch(on: reactor, inspect: Self.addresses)
        self.names = LocalNames(on: reactor, watching: self.watch)
        self.sockets = SharedSockets(on: reactor)
    }

    /// On a machine without a network those on it can still talk.
    private static func addresses() -> [InterfaceAddress] {
        let all = InterfaceAddress.all()
        guard !all.contains(where: \.reachesOthers) else { return all }
        return all.map { InterfaceAddress($0.ip, on: $0.interface, index: $0.index) }
    }

    /// - Parameters:
    ///   - impairment: what is done to all that is sent.
    ///   - isCalled: the other side offers, so that sockets are shared with all others who are called.
    ///   - takesConnections: those over TCP.
    package func make(
        _ settings: PeerSettings, servers: FoundServers, isCalled: Bool = false, takesConnections: Bool = true,
        impairment: NetworkImpairment? = nil, handler: any PeerConnectionHandler
    ) -> PeerConnection {
        var settings = settings
        settings.ice.stunServers = servers.stun
        var means = PeerConnection.Means()
        means.peers.names = .known(self.names)
        means.peers.sockets = isCalled ? self.sockets : nil
        means.peers.takesConnections = takesConnections
        means.peers.impairment = impairment
        means.relays = servers.relays
        means.watch = self.watch
        return PeerConnection(settings, self.context, on: self.reactor, by: means, handler: handler)
    }

    package func close() { self.names.close() }
}
