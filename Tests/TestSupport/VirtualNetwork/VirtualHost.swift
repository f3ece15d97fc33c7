package import Vocabulary

/// Who is told what arrives on a socket of the virtual network. The socket does not keep it alive.
package protocol VirtualDatagramHandler: AnyObject {
    func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket)
}

package enum VirtualSocketError: Error, Hashable, Sendable {
    case addressInUse
    /// The host has no such address.
    case addressNotAvailable
}

/// One way from a host into a realm, with the addresses it has there.
package final class VirtualInterface {
    package let link: VirtualLink
    package private(set) var addresses: [IPAddress] = []

    init(_ link: VirtualLink, of host: VirtualHost) {
        self.link = link
        link.owner = .host(Unowned(object: host))
    }

    /// A cable that is pulled out and put in again.
    package var isUp: Bool {
        get { self.link.isUp }
        set { self.link.isUp = newValue }
    }

    package func add(_ address: IPAddress) {
        precondition(self.link.realm.places[address] == nil, "\(address) is taken")
        self.addresses.append(address)
        self.link.realm.places[address] = self.link
        self.link.realm.gateway?.announce(address)
    }

    package func remove(_ address: IPAddress) {
        self.addresses.removeAll { $0 == address }
        self.link.realm.places[address] = nil
    }
}

/// A machine on the virtual network.
package final class VirtualHost {
    package internal(set) var interfaces: [VirtualInterface] = []
    let network: Unowned<VirtualNetwork>
    private var sockets: [UInt16: [VirtualSocket]] = [:]
    var listeners: [SocketAddress: VirtualListener] = [:]
    private var nextPort: UInt16

    init(of network: VirtualNetwork, firstPort: UInt16) {
        self.network = Unowned(object: network)
        self.nextPort = firstPort
    }

    package var addresses: [IPAddress] { self.interfaces.filter(\.isUp).flatMap(\.addresses) }

    /// Opens a UDP socket: on one address of the host or on `.any` of a family; port 0 takes a free one.
    package func bind(
        _ address: SocketAddress, _ handler: any VirtualDatagramHandler
    ) throws(VirtualSocketError) -> VirtualSocket {
        guard address.ip.isAny || self.has(address.ip) else { throw .addressNotAvailable }
        let place = address.port == 0 ? SocketAddress(address.ip, port: self.freePort()) : address
        guard !(self.sockets[place.port] ?? []).contains(where: { $0.address.ip == place.ip }) else {
            throw .addressInUse
        }
        let socket = VirtualSocket(place, on: self, handler)
        self.sockets[place.port, default: []].append(socket)
        return socket
    }

    func has(_ ip: IPAddress) -> Bool { self.interfaces.contains { $0.addresses.contains(ip) } }

    func freePort() -> UInt16 {
        while true {
            self.nextPort = self.nextPort == .max ? 49_152 : self.nextPort + 1
            if self.sockets[self.nextPort] == nil { return self.nextPort }
        }
    }

    func socket(at address: SocketAddress) -> VirtualSocket? {
        guard let sockets = self.sockets[address.port] else { return nil }
        return sockets.first { $0.address.ip == address.ip }
            ?? sockets.first { $0.address.ip.isAny && $0.address.ip.isSameFamily(as: address.ip) }
    }

    func close(_ socket: VirtualSocket) {
        self.sockets[socket.address.port]?.removeAll { $0 === socket }
        if self.sockets[socket.address.port]?.isEmpty == true { self.sockets[socket.address.port] = nil }
    }

    /// The interface, and the address on it, from which something for `destination` leaves.
    func way(to destination: IPAddress, from source: IPAddress) -> (VirtualInterface, IPAddress)? {
        for interface in self.interfaces where interface.isUp {
            for address in interface.addresses
            where address == source || (source.isAny && address.isSameFamily(as: destination)) {
                return (interface, address)
            }
        }
        return nil
    }
}

/// An open UDP socket.
package final class VirtualSocket {
    package let address: SocketAddress
    package unowned let host: VirtualHost
    package private(set) var isOpen = true
    private weak var handler: (any VirtualDatagramHandler)?

    init(_ address: SocketAddress, on host: VirtualHost, _ handler: any VirtualDatagramHandler) {
        self.address = address
        self.host = host
        self.handler = handler
    }

    package func send(_ datagram: [UInt8], to peer: SocketAddress) {
        guard self.isOpen else { return }
        self.host.network.object.send(datagram, from: self, to: peer)
    }

    package func close() {
        self.isOpen = false
        self.host.close(self)
    }

    /// False when nobody listens any more.
    func deliver(_ datagram: [UInt8], from peer: SocketAddress) -> Bool {
        guard let handler = self.handler else { return false }
        handler.received(datagram, from: peer, on: self)
        return true
    }
}

extension IPAddress {
    var isAny: Bool { self == .any || self == .any6 }

    func isSameFamily(as other: IPAddress) -> Bool {
        switch (self, other) {
        case (.v4, .v4), (.v6, .v6): true
        case (.v4, .v6), (.v6, .v4): false
        }
    }
}
