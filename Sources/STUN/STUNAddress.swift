internal import Bytes
internal import Vocabulary

/// An address inside of a message, plain (RFC 8489 §14.1) or hidden from those on the way who rewrite every address
/// they see (§14.2).
enum STUNAddress {
    static let ipv4: UInt8 = 1
    static let ipv6: UInt8 = 2

    static func read(_ value: Span<UInt8>, hiddenBy transaction: TransactionID?) -> SocketAddress? {
        guard value.count >= 4 else { return nil }
        let mask = Mask(transaction)
        let port = value.bigEndian(at: 2) ^ mask.port
        switch (value[1], value.count) {
        case (Self.ipv4, 8): return SocketAddress(.v4(value.bigEndian(at: 4) ^ mask.ipv4), port: port)
        case (Self.ipv6, 20):
            let ip = IPAddress.v6(value.bigEndian(at: 4) ^ mask.high, value.bigEndian(at: 12) ^ mask.low)
            return SocketAddress(ip, port: port)
        default: return nil
        }
    }

    static func length(of address: SocketAddress) -> Int {
        switch address.ip {
        case .v4: 8
        case .v6: 20
        }
    }

    static func write(_ address: SocketAddress, to writer: inout ByteWriter, hiddenBy transaction: TransactionID?) {
        let mask = Mask(transaction)
        switch address.ip {
        case .v4(let ip):
            writer.write(UInt16(self.ipv4))
            writer.write(address.port ^ mask.port)
            writer.write(ip ^ mask.ipv4)
        case .v6(let high, let low):
            writer.write(UInt16(self.ipv6))
            writer.write(address.port ^ mask.port)
            writer.write(high ^ mask.high)
            writer.write(low ^ mask.low)
        }
    }

    /// The cookie and the transaction, one after the other; zeros hide nothing.
    private struct Mask {
        var port: UInt16 = 0
        var ipv4: UInt32 = 0
        var high: UInt64 = 0
        var low: UInt64 = 0

        init(_ transaction: TransactionID?) {
            guard let transaction else { return }
            self.port = UInt16(STUNHeader.cookie >> 16)
            self.ipv4 = STUNHeader.cookie
            self.high = UInt64(STUNHeader.cookie) << 32 | UInt64(transaction.high)
            self.low = transaction.low
        }
    }
}

extension STUNAttributeType {
    /// Whether it holds an address that is hidden.
    var isHiddenAddress: Bool { [.xorMappedAddress, .xorPeerAddress, .xorRelayedAddress].contains(self) }
}
