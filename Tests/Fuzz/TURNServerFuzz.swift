import Bytes
import Hashing
import STUN
import TURN
import Vocabulary

/// Clients and peers that send a TURN server whatever they like, signed with the right password or not: it never stops the
/// program, keeps no more than it may, and after the end of all times nothing at all.
enum TURNServerFuzz {
    private static let user = "1800000000:user"
    private static let secret = Array("what the fuzzer and the server share".utf8)

    @Sendable static func run(_ bytes: [UInt8]) {
        var input = ByteReader(bytes.span)
        let story = Story()
        while let deed = try? input.read(UInt8.self), let count = try? input.read(UInt8.self) {
            story.go(deed, with: (try? input.array(min(Int(count), input.remaining))) ?? [])
        }
        story.finish()
    }

    private final class Relay: RelaySocket {
        let relayedAddress: SocketAddress
        weak var allocation: Allocation?
        let closed: () -> Void

        init(_ port: UInt16, closed: @escaping () -> Void) {
            self.relayedAddress = SocketAddress(.v4(0x5DB8_D822), port: port)
            self.closed = closed
        }

        func send(_ payload: Span<UInt8>, to peer: SocketAddress) {
            demand(payload.count <= 0xFFFF, "more than a datagram left")
            demand(AddressPolicy().allows(peer.ip), "it was sent to \(peer)")
        }

        func close() { self.closed() }
    }

    private final class Line: TURNLine {
        let isStream: Bool
        var challenge: STUNChallenge?

        init(isStream: Bool) { self.isStream = isStream }

        func send(_ bytes: Span<UInt8>, to client: SocketAddress) {
            guard let message = try? STUNMessage(parsing: bytes), message.errorCode == .unauthenticated else { return }
            self.challenge = STUNChallenge(message)
        }

        func join(_ peer: any PeerStream, of user: TURNUser) { peer.close() }
    }

    /// Apart from the story, for the server holds on to it.
    private final class Sockets: RelaySockets {
        private(set) var last: Relay?
        private(set) var open = 0
        private var ports: UInt16 = 50_000

        func openStreams(_ family: STUNAddressFamily, for client: SocketAddress) -> (any StreamRelay)? { nil }

        func open(_ family: STUNAddressFamily, _ port: RelayPort, for client: SocketAddress) -> [any RelaySocket]? {
            guard family == .ipv4, self.ports < 65_000 else { return nil }
            return (0..<(port == .evenAndNext ? 2 : 1)).map { _ in
                self.ports += 1
                self.open += 1
                let relay = Relay(self.ports) { [weak self] in self?.open -= 1 }
                self.last = relay
                return relay
            }
        }
    }

    private final class Story {
        private let sockets = Sockets()
        private let lines = [Line(isStream: false), Line(isStream: true)]
        private var now = Instant(nanoseconds: 0)
        private var random = Dice(state: 1)
        private let server: TURNServer

        init() {
            var settings = TURNServerSettings()
            settings.secrets = [TURNServerFuzz.secret]
            settings.allocationsPerUser = 4
            self.server = TURNServer(settings, self.sockets, at: self.now, using: &self.random)
        }

        func go(_ deed: UInt8, with bytes: [UInt8]) {
            let line = self.lines[Int(deed >> 7)]
            switch deed % 8 {
            case 0: self.hear(bytes, on: line)
            case 1: self.ask(STUNMethod.allocate, [(.requestedTransport, [17, 0, 0, 0])], bytes, on: line)
            case 2: self.ask(UInt16(bytes.first ?? 4) & 0xF, [], Array(bytes.dropFirst()), on: line)
            case 3: self.hear([0x40, 0, 0, UInt8(truncatingIfNeeded: bytes.count)] + bytes, on: line)
            case 4: self.peerSends(bytes)
            case 5: self.server.ended(line, of: self.client(line))
            case 6: self.ask(STUNMethod.channelBind, [(.channelNumber, [0x40, 0, 0, 0])], bytes, on: line)
            default: self.pass(.seconds(bytes.count))
            }
            demand(self.server.counts.open <= 4, "more than a user may have")
        }

        private func client(_ line: Line) -> SocketAddress {
            SocketAddress(.v4(0xCB00_7101), port: line.isStream ? 2 : 1)
        }

        private func hear(_ bytes: [UInt8], on line: Line) {
            self.server.received(
                bytes.span, from: self.client(line), on: line, at: self.now, WallTime(seconds: 1_799_999_000))
        }

        private func ask(_ method: UInt16, _ first: [(STUNAttributeType, [UInt8])], _ more: [UInt8], on line: Line) {
            var writer = STUNWriter(.request, method, TransactionID(using: &self.random))
            for (type, value) in first { writer.append(type, value.span) }
            var reader = ByteReader(more.span)
            while let type = try? reader.read(UInt16.self), let count = try? reader.read(UInt8.self) {
                let value = (try? reader.array(min(Int(count), reader.remaining))) ?? []
                writer.append(STUNAttributeType(rawValue: type), value.span)
            }
            if let challenge = line.challenge {
                STUNAuthentication(username: TURNServerFuzz.user, password: Self.password, challenge: challenge)?.sign(
                    &writer)
            }
            self.hear(writer.finish().bytes, on: line)
        }

        private static let password = Base64.encode(
            HMAC.code(of: TURNServerFuzz.user, key: TURNServerFuzz.secret, using: .sha1))

        private func peerSends(_ bytes: [UInt8]) {
            guard let relay = self.sockets.last, let allocation = relay.allocation else { return }
            self.server.received(
                bytes.span, from: SocketAddress(.v4(0x0808_0808), port: 4000), for: allocation, at: self.now)
        }

        private func pass(_ time: Duration) {
            self.now = self.now + time
            self.server.sweep(at: self.now)
        }

        func finish() {
            self.pass(.seconds(4000))
            demand(self.server.counts.open == 0 && self.sockets.open == 0, "\(self.sockets.open) relays are left")
            self.server.close()
        }
    }
}
