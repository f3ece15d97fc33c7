package import Vocabulary

/// What an operator says about the TURN server in the box.
package struct TURNConfiguration: Hashable, Sendable {
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Where other machines can reach its port.
        case auto
        case on
        case off
    }

    package var mode = Mode.auto
    /// Of a one-to-one NAT before this machine; nil where it has its public address itself.
    package var externalAddress: IPAddress?
    /// What relays are opened on.
    package var ports: ClosedRange<UInt16> = 49_152...65_535
    /// Networks that relays may send to although they are not of the public internet.
    package var allowedPeers: [IPNetwork] = []
    /// With which applications make credentials themselves.
    package var secret: String?
    package var bytesPerSecondPerUser = 2_000_000

    package init() {}

    /// Whether relays are offered on an address.
    func serves(on address: SocketAddress) -> Bool {
        switch self.mode {
        case .on: true
        case .off: false
        case .auto: !address.ip.isLoopback
        }
    }
}
