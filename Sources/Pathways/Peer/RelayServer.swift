package import ICE
package import Vocabulary

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
