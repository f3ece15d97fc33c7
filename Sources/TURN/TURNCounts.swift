package import STUN

/// What a server has done, without names.
package struct TURNCounts: Hashable, Sendable {
    package var open = 0
    package var made = 0
    package var refused: [STUNErrorCode: Int] = [:]
    package var packetsToPeers = 0
    package var bytesToPeers = 0
    package var packetsToClients = 0
    package var bytesToClients = 0
    /// Of clients with peers by TCP, open now.
    package var connections = 0
    /// Without permission, beyond what its user may send, or not understood.
    package var dropped = 0

    package init() {}
}
