internal import STUN
internal import Vocabulary

/// What an Allocate request asks for (RFC 8656 §7.2).
struct AllocationWish {
    let family: STUNAddressFamily
    let additionalFamily: STUNAddressFamily?
    let port: RelayPort
    let reservation: UInt64?
    let lifetime: Duration
    /// Connections instead of datagrams (RFC 6062).
    let isForStreams: Bool

    private static let (tcp, udp) = (UInt8(6), UInt8(17))

    init(_ message: STUNMessage, isByStream: Bool) throws(TURNRefusal) {
        guard let transport = message.requestedTransport else { throw TURNRefusal(code: .badRequest) }
        guard transport == Self.udp || transport == Self.tcp else { throw TURNRefusal(code: .unsupportedTransport) }
        self.isForStreams = transport == Self.tcp
        // RFC 6062 §5.1: only by a connection, and without what belongs to ports of UDP.
        let isPlain =
            !message.has(.evenPort) && !message.has(.reservationToken) && !message.has(.additionalAddressFamily)
        guard !self.isForStreams || isByStream && isPlain else { throw TURNRefusal(code: .badRequest) }
        let family = try Self.family(.requestedAddressFamily, message)
        self.additionalFamily = try Self.family(.additionalAddressFamily, message)
        self.reservation = message.number(of: .reservationToken, as: UInt64.self)
        self.port = try Self.port(message)
        // What is reserved has its family and its port; a second address is one of IPv6, and no reserved one.
        guard self.reservation == nil || !(message.has(.requestedAddressFamily) || message.has(.evenPort)),
            self.additionalFamily == nil
                || family == nil && self.additionalFamily == .ipv6 && self.reservation == nil
                    && self.port != .evenAndNext
        else { throw TURNRefusal(code: .badRequest) }
        self.family = family ?? .ipv4
        self.lifetime = max(Self.lifetime(message), TURNServerSettings.usualLifetime)
    }

    func missing(among relays: Relays) -> STUNAddressFamily? {
        guard let additional = self.additionalFamily else { return nil }
        let found = relays.addresses.map { STUNAddressFamily(of: $0.ip) }
        return [self.family, additional].first { !found.contains($0) }
    }

    static func family(
        _ type: STUNAttributeType, _ message: STUNMessage
    ) throws(TURNRefusal) -> STUNAddressFamily? {
        guard message.has(type) else { return nil }
        guard let family = message.addressFamily(of: type) else { throw TURNRefusal(code: .addressFamilyNotSupported) }
        return family
    }

    private static func port(_ message: STUNMessage) throws(TURNRefusal) -> RelayPort {
        guard message.has(.evenPort) else { return .any }
        guard let reserves = message.evenPortReservesNext else { throw TURNRefusal(code: .badRequest) }
        return reserves ? .evenAndNext : .even
    }

    /// What is asked for, within bounds; nothing asked is the usual.
    static func lifetime(_ message: STUNMessage) -> Duration {
        guard let wanted = message.lifetime else { return TURNServerSettings.usualLifetime }
        return min(wanted, TURNServerSettings.maximumLifetime)
    }
}
