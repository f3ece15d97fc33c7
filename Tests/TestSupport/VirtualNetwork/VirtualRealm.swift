package import Vocabulary

/// One space of addresses: who is in it reaches everybody else in it, and through its gateway who is further out.
package final class VirtualRealm {
    var places: [IPAddress: VirtualLink] = [:]
    unowned var gateway: VirtualGateway?

    init() {}
}

/// A datagram under way.
struct VirtualPacket {
    var source: SocketAddress
    var destination: SocketAddress
    let payload: [UInt8]
    /// The link it is on, and where to.
    var link: Int32 = 0
    var isUpward = true

    /// With the headers of IP and UDP.
    var size: Int {
        if case .v4 = self.destination.ip { self.payload.count + 28 } else { self.payload.count + 48 }
    }
}

/// A datagram that somebody who watches the network sees passing.
package struct VirtualSighting {
    package enum Event: Hashable, Sendable {
        case sent
        case delivered
        case dropped(PacketDrop)
    }

    package let event: Event
    package let moment: Instant
    package let source: SocketAddress
    package let destination: SocketAddress
    package let payload: [UInt8]
}
