package import Bytes
package import Vocabulary

/// Answers the one question of a plain STUN service: what address do you see me at?
///
/// It answers Binding requests and nothing else, and an answer never has more than a few bytes more than the shortest
/// request: spoofed requests gain nothing. Nor is a client answered more often than a client prefix
/// full of people would ask; this machine itself is, since no other host can send in its name.
package struct BindingResponder: Sendable {
    package static let usualLimit = 500

    private var limiter: SourceLimiter
    /// How many requests came too often to be answered.
    package private(set) var refused = 0

    /// Credentials are understood in so far as none are asked for.
    private static let known: Set<STUNAttributeType> = [
        .username, .messageIntegrity, .realm, .nonce, .messageIntegritySHA256, .passwordAlgorithm, .userHash,
    ]

    package init(limit: Int = usualLimit, using random: inout some RandomNumberGenerator) {
        self.limiter = SourceLimiter(limit: limit, using: &random)
    }

    /// Writes the answer to a datagram from `peer` behind what is there, and says whether it deserves one.
    package mutating func answer(
        _ datagram: Span<UInt8>, from peer: SocketAddress, at now: Instant, into writer: inout ByteWriter
    ) -> Bool {
        guard let message = try? STUNMessage(parsing: datagram), message.type == STUNMessageType(.request),
            !message.hasFingerprint || message.hasRightFingerprint
        else { return false }
        guard self.limiter.allows(peer.ip, at: now) || peer.ip.isLoopback else {
            self.refused += 1
            return false
        }
        let unknown = message.notUnderstood(knowing: Self.known.contains)
        var answer = STUNWriter(unknown.isEmpty ? .success : .error, to: message.header, into: writer)
        if unknown.isEmpty {
            answer.append(.xorMappedAddress, peer)
        } else {
            // RFC 8489 §6.3.1: it asks for something that must be understood and is not.
            answer.append(.unknownAttribute)
            answer.append(unknown: unknown)
        }
        if message.hasFingerprint { answer.appendFingerprint() }
        writer = answer.finish()
        return true
    }
}
