package import ICE
package import Vocabulary

/// How a peer may be reached, and what others may know of us.
package struct PeerMeans {
    package var speaksUDP = true
    /// Where UDP is blocked between two who could reach each other, TCP may not be. It costs one more descriptor for each
    /// address.
    package var speaksTCP = true
    /// Finds the addresses behind `.local` names; without it such candidates are lost.
    package var names: LocalNames?
    /// The other side is told names in the place of our addresses. Only who is on the same network learns what they mean.
    package var hidesAddresses = false

    package init() {}
}

/// A TURN server, and who we are to it.
package struct RelayServer: Sendable {
    package let address: SocketAddress
    package let transport: TURNTransport
    package let account: TURNAccount
    package let trust: ServerTrust

    package init(_ address: SocketAddress, _ transport: TURNTransport, _ account: TURNAccount, _ trust: ServerTrust) {
        self.address = address
        self.transport = transport
        self.account = account
        self.trust = trust
    }
}
