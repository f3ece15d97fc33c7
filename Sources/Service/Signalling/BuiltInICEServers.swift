internal import ICEServers
internal import Secure
internal import Vocabulary

/// The STUN and TURN servers that this server is itself.
struct BuiltInICEServers: Sendable {
    let port: UInt16
    /// Nil where nothing is relayed.
    var turn: TURN?

    struct TURN: Sendable {
        let secret: [UInt8]
        /// Also over TCP.
        let hasStreams: Bool
        /// Of HTTPS, where TURN is served beside it; nil without a certificate that clients trust.
        var securePort: UInt16?
        /// What credentials for one seat are good for.
        let quota: Quota
        /// To be told of a seat that is free again: what was relayed for it ends.
        let ended: @Sendable (RelaySeat) -> Void
    }

    /// What one seat in a room or a call may have of the relay.
    struct Quota: Sendable {
        let allocations: Int
        let bitsPerSecond: Int
    }

    /// - Parameter host: the name under which the client found us.
    func servers(at host: String) -> [ICEServer] {
        let place = "\(host):\(self.port)"
        let stun = ICEServer(urls: ["stun:\(place)"].compactMap { ICEServerURL($0) }, credentials: .none)
        guard let turn = self.turn else { return [stun] }
        let transports = turn.hasStreams ? ["udp", "tcp"] : ["udp"]
        let urls =
            transports.map { "turn:\(place)?transport=\($0)" }
            + [turn.securePort].compactMap { $0 }.map { "turns:\(host):\($0)?transport=tcp" }
        let relay = ICEServer(
            urls: urls.compactMap { ICEServerURL($0) },
            credentials: .minted(secret: turn.secret, life: TURNCredentials.maximumLifetime))
        return [stun, relay]
    }
}
