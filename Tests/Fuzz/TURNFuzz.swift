import Bytes
import ICE
import STUN
import Vocabulary

/// A TURN client whose server says whatever it likes, well signed, and whose network adds what it likes: the client
/// never stops the program, never has two ends, and after its end wants nothing any more.
enum TURNFuzz {
    private static let server = SocketAddress(.v4(0xC633_6401), port: 3478)
    private static let peer = SocketAddress(.v4(0xC000_0207), port: 4000)
    private static let challenge = STUNChallenge(realm: "lab.example", nonce: "f//499k954d6OL34oL9FSTvy64sA")

    @Sendable static func run(_ bytes: [UInt8]) {
        var input = ByteReader(bytes.span)
        var story = Story(isStream: bytes.first.map { $0 & 1 == 1 } ?? false)
        story.start()
        while let deed = try? input.read(UInt8.self), let count = try? input.read(UInt8.self) {
            story.go(deed, with: (try? input.array(min(Int(count), input.remaining))) ?? [])
        }
        story.finish()
    }

    /// The same numbers each time: a find has to be found again.
    private struct Counter: RandomNumberGenerator, Sendable {
        var state: UInt64 = 0

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            return self.state ^ self.state >> 29
        }
    }

    private struct Story: ~Copyable {
        var client: TURNClient
        var outbox = Outbox<TURNEvent>()
        var now = Instant(nanoseconds: 0)
        /// The header of the last request.
        var asked: STUNHeader?
        var ends = 0

        init(isStream: Bool) {
            self.client = TURNClient(
                TURNSettings(transport: isStream ? .tcp : .udp, families: [.ipv4, .ipv6]), server: TURNFuzz.server,
                account: TURNAccount(username: "user", password: "pass"), random: Counter())
        }

        mutating func start() {
            self.client.start(at: self.now, into: &self.outbox)
            self.empty()
        }

        mutating func go(_ deed: UInt8, with bytes: [UInt8]) {
            switch deed % 12 {
            case 0: self.hear(bytes)
            case 1: self.answer(.success, bytes)
            case 2: self.answer(.error, bytes)
            case 3: self.grant(bytes)
            case 4: self.hear([0x40, 0x00, 0, UInt8(truncatingIfNeeded: bytes.count)] + bytes)
            case 5: self.client.send(bytes.span, to: TURNFuzz.peer, at: self.now, into: &self.outbox)
            case 6: self.client.bindChannel(to: TURNFuzz.peer, at: self.now, into: &self.outbox)
            case 7: self.client.opened(at: self.now, into: &self.outbox)
            case 8: self.client.renew(TURNAccount(username: "user\(bytes.count)", password: "pass"))
            case 9: self.challenge(bytes)
            case 10 where deed > 200: self.client.close(at: self.now, into: &self.outbox)
            default: self.wait(.milliseconds(bytes.count * bytes.count * 10))
            }
            self.empty()
        }

        private mutating func hear(_ bytes: [UInt8]) {
            self.client.receive(bytes.span, at: self.now, into: &self.outbox) { _, payload in
                demand(payload.count <= 0xFFFF, "more than a datagram was delivered")
            }
        }

        /// An answer to the last request with these attributes, signed as the server would.
        private mutating func answer(_ kind: STUNMessageType.Class, _ attributes: [UInt8]) {
            guard let asked = self.asked else { return }
            var writer = STUNWriter(kind, to: asked)
            var reader = ByteReader(attributes.span)
            while let type = try? reader.read(UInt16.self), let count = try? reader.read(UInt8.self) {
                let value = (try? reader.array(min(Int(count), reader.remaining))) ?? []
                writer.append(STUNAttributeType(rawValue: type), value.span)
            }
            self.sign(&writer)
            self.hear(writer.finish().bytes)
        }

        private mutating func grant(_ bytes: [UInt8]) {
            guard let asked = self.asked else { return }
            var writer = STUNWriter(.success, to: asked)
            writer.append(.xorRelayedAddress, TURNFuzz.server)
            writer.append(lifetime: .seconds(bytes.first.map(Int.init) ?? 600))
            self.sign(&writer)
            self.hear(writer.finish().bytes)
        }

        private mutating func challenge(_ bytes: [UInt8]) {
            guard let asked = self.asked else { return }
            var writer = STUNWriter(.error, to: asked)
            writer.append(bytes.isEmpty ? .unauthenticated : .staleNonce)
            writer.append(.realm, text: TURNFuzz.challenge.realm)
            writer.append(.nonce, text: TURNFuzz.challenge.nonce)
            self.hear(writer.finish().bytes)
        }

        private func sign(_ writer: inout STUNWriter) {
            writer.appendIntegrity(STUNKey(longTerm: "user", realm: TURNFuzz.challenge.realm, password: "pass"))
        }

        private mutating func wait(_ duration: Duration) {
            self.now = self.now + duration
            for _ in 0..<50 {
                guard let deadline = self.client.deadline, deadline <= self.now else { return }
                self.client.clockAdvanced(to: self.now, into: &self.outbox)
            }
            demand(self.client.deadline.map { $0 > self.now } ?? true, "a deadline does not move")
        }

        private mutating func empty() {
            for packet in self.outbox.packets.packets {
                self.outbox.packets.withBytes(of: packet) { bytes in
                    guard let message = try? STUNMessage(parsing: bytes) else { return }
                    if message.type.class == .request { self.asked = message.header }
                }
            }
            self.ends += self.outbox.events.count { $0 == .closed }
            demand(self.ends <= 1 && (self.ends == 1) == self.client.isClosed, "it ended more than once, or in silence")
            self.outbox.removeAll()
        }

        mutating func finish() {
            for _ in 0..<100 where !self.client.isClosed { self.wait(.seconds(60)) }
            self.empty()
            if self.client.isClosed { demand(self.client.deadline == nil, "it wants something after its end") }
        }
    }
}
