import Bytes
import STUN
package import Vocabulary

/// A STUN server on the virtual network. On a host with two addresses of a family it can tell what NATs do (RFC 5780).
package final class VirtualSTUNServer: VirtualDatagramHandler {
    package let host: VirtualHost
    package private(set) var requestCount = 0
    /// A server that is there and says nothing.
    package var isSilent = false
    private var sockets: [SocketAddress: VirtualSocket] = [:]
    private var alternatives: [SocketAddress: SocketAddress] = [:]

    /// Listens on every address of the host, on `port` and on the one after it.
    package init(on host: VirtualHost, port: UInt16 = 3478) throws(VirtualSocketError) {
        self.host = host
        let addresses = host.addresses
        for ip in addresses {
            let other = addresses.first { $0 != ip && $0.isSameFamily(as: ip) }
            for (own, alternative) in [(port, port + 1), (port + 1, port)] {
                let place = SocketAddress(ip, port: own)
                self.sockets[place] = try host.bind(place, self)
                self.alternatives[place] = other.map { SocketAddress($0, port: alternative) }
            }
        }
    }

    package func received(_ datagram: [UInt8], from peer: SocketAddress, on socket: VirtualSocket) {
        self.requestCount += 1
        guard !self.isSilent, let message = try? STUNMessage(parsing: datagram.span),
            message.type == STUNMessageType(.request)
        else { return }
        let change = message.changeRequest ?? []
        let other = self.alternatives[socket.address]
        let speaker = SocketAddress(
            change.contains(.ip) ? other?.ip ?? socket.address.ip : socket.address.ip,
            port: change.contains(.port) ? other?.port ?? socket.address.port : socket.address.port)
        var writer = STUNWriter(.success, to: message.header)
        writer.append(.xorMappedAddress, peer)
        writer.append(.responseOrigin, speaker)
        if let other { writer.append(.otherAddress, other) }
        writer.appendFingerprint()
        let target = message.responsePort.map { SocketAddress(peer.ip, port: $0) } ?? peer
        self.sockets[speaker]?.send(writer.finish().bytes, to: target)
    }
}
