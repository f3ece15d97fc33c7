internal import ICE
package import Pathways
package import Reactor
package import Secure

/// What all connections of one loop share: a certificate, and what is known of the machine's addresses and names.
package final class PeerConnectionFactory {
    package let reactor: Reactor
    private let context: DTLSContext
    private let watch: InterfaceWatch
    private let names: LocalNames

    package init(on reactor: Reactor) throws(SecureError) {
        self.reactor = reactor
        self.context = try DTLSContext(peerWith: SelfSignedIdentity(names: ["parley"]))
        self.watch = InterfaceWatch(on: reactor, look: Self.addresses)
        self.names = LocalNames(on: reactor, watching: self.watch)
    }

    /// On a machine without a network those on it can still talk.
    private static func addresses() -> [InterfaceAddress] {
        let all = InterfaceAddress.all()
        guard !all.contains(where: \.reachesOthers) else { return all }
        return all.map { InterfaceAddress($0.ip, on: $0.interface, index: $0.index) }
    }

    package func make(
        _ settings: CallSettings, servers: FoundServers, handler: any PeerConnectionHandler
    ) -> PeerConnection {
        var settings = settings
        settings.ice.stunServers = servers.stun
        var means = PeerConnection.Means()
        means.peers.names = self.names
        means.relays = servers.relays
        means.watch = self.watch
        return PeerConnection(settings, self.context, on: self.reactor, by: means, handler: handler)
    }

    package func close() { self.names.close() }
}
