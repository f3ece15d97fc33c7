internal import Bytes
internal import Hashing
internal import STUN
internal import Vocabulary

/// Makes nonces that need not be remembered: each says when it was made, and proves that we made it for this client.
struct NonceKey: Sendable {
    private let key: HMACKey
    /// Moments are told in seconds since this one.
    private let start: Instant

    private static let codeLength = 8

    init(using random: inout some RandomNumberGenerator, at now: Instant) {
        self.key = HMACKey((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }, using: .sha256)
        self.start = now
    }

    func nonce(for client: SocketAddress, at now: Instant) -> String {
        STUNSecurityFeatures.passwordAlgorithms.nonce(self.rest(self.second(now), client))
    }

    /// Whether we gave it to this client, and not too long ago.
    func accepts(_ nonce: String, from client: SocketAddress, at now: Instant) -> Bool {
        let rest = nonce.utf8.suffix(Self.restLength)
        guard let bytes = try? Base64.decode(Array(rest)), bytes.count == 4 + Self.codeLength else { return false }
        let second = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let age = Int64(self.second(now)) - Int64(second)
        guard (0...TURNServerSettings.nonceLifetime.components.seconds).contains(age) else { return false }
        return Self.isSame(nonce, STUNSecurityFeatures.passwordAlgorithms.nonce(self.rest(second, client)))
    }

    /// In Base64 without padding.
    private static let restLength = (4 + Self.codeLength) / 3 * 4

    private func second(_ now: Instant) -> UInt32 {
        UInt32(clamping: self.start.duration(to: now).components.seconds)
    }

    private func rest(_ second: UInt32, _ client: SocketAddress) -> String {
        var writer = ByteWriter(reservingCapacity: 32)
        writer.write(second)
        writer.write(contentsOf: "\(client)".utf8)
        let code = self.key.code(of: writer.bytes).prefix(Self.codeLength)
        return Base64.encode(Array(writer.bytes.prefix(4)) + code)
    }

    /// In a time that does not tell where they differ.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        return zip(first.utf8, second.utf8).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
    }
}
