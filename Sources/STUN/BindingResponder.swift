internal import Bytes
package import Vocabulary

/// Answers the one question of a plain STUN service: what address do you see me at?
///
/// It answers Binding requests and nothing else, and an answer never has more than a few bytes more than the shortest
/// request: nobody gains by sending requests in another's name.
package struct BindingResponder: Hashable, Sendable {
    private static let xorMappedAddress: UInt16 = 0x0020
    private static let unknownAttributes: UInt16 = 0x000A
    private static let errorCode: UInt16 = 0x0009
    /// So many unknown attributes are named in an answer; the request is at least as long as the names of them.
    private static let mostNamed = 4

    package init() {}

    /// The answer to a datagram from `peer`, or nil for what deserves none.
    package func answer(_ datagram: Span<UInt8>, from peer: SocketAddress) -> [UInt8]? {
        var reader = ByteReader(datagram)
        guard let header = try? STUNHeader(parsing: &reader), header.attributesLength == reader.remaining,
            header.type == STUNMessageType(.request)
        else { return nil }
        guard let unknown = Self.unknownAttributes(&reader) else { return nil }
        guard unknown.isEmpty else { return Self.refusal(of: header, unknown) }
        return Self.success(header, peer)
    }

    private static func success(_ header: STUNHeader, _ peer: SocketAddress) -> [UInt8] {
        var attributes = ByteWriter(reservingCapacity: 24)
        self.write(peer.unmapped, to: &attributes, header.transaction)
        return self.message(.success, header, attributes)
    }

    /// RFC 8489 §14.2: the address is hidden from those on the way who rewrite every address they see.
    private static func write(_ peer: SocketAddress, to writer: inout ByteWriter, _ transaction: TransactionID) {
        let port = peer.port ^ UInt16(STUNHeader.cookie >> 16)
        writer.write(self.xorMappedAddress)
        switch peer.ip {
        case .v4(let address):
            writer.write(UInt16(8))
            writer.write(UInt16(1))
            writer.write(port)
            writer.write(address ^ STUNHeader.cookie)
        case .v6(let high, let low):
            writer.write(UInt16(20))
            writer.write(UInt16(2))
            writer.write(port)
            writer.write(high ^ (UInt64(STUNHeader.cookie) << 32 | UInt64(transaction.high)))
            writer.write(low ^ transaction.low)
        }
    }

    /// 420: the request asks for something that must be understood and is not (RFC 8489 §6.3.1).
    private static func refusal(of header: STUNHeader, _ unknown: [UInt16]) -> [UInt8] {
        var attributes = ByteWriter(reservingCapacity: 32)
        attributes.write(self.errorCode)
        attributes.write(UInt16(4))
        attributes.write(UInt16(0))
        attributes.write(UInt8(4))
        attributes.write(UInt8(20))
        attributes.write(self.unknownAttributes)
        attributes.write(UInt16(unknown.count * 2))
        for type in unknown { attributes.write(type) }
        if !unknown.count.isMultiple(of: 2) { attributes.write(UInt16(0)) }
        return self.message(.error, header, attributes)
    }

    private static func message(
        _ class: STUNMessageType.Class, _ header: STUNHeader, _ attributes: ByteWriter
    ) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: STUNHeader.length + attributes.count)
        let type = STUNMessageType(`class`, method: header.type.method)
        STUNHeader(type, attributesLength: attributes.count, header.transaction).write(to: &writer)
        writer.write(contentsOf: attributes.bytes)
        return writer.bytes
    }

    /// Those below 0x8000 have to be understood. Credentials are understood in so far as nobody is asked for any.
    /// Nil when the attributes do not fit together.
    private static func unknownAttributes(_ reader: inout ByteReader) -> [UInt16]? {
        var unknown: [UInt16] = []
        while !reader.isAtEnd {
            guard let type = try? reader.read(UInt16.self), let length = try? reader.read(UInt16.self),
                (try? reader.skip((Int(length) + 3) & ~3)) != nil
            else { return nil }
            let isKnown = type >= 0x8000 || [0x0006, 0x0008, 0x0014, 0x0015, 0x001C, 0x001E].contains(type)
            if !isKnown, unknown.count < Self.mostNamed { unknown.append(type) }
        }
        return unknown
    }
}

extension SocketAddress {
    /// An IPv4 client of a socket that serves both is told its IPv4 address.
    fileprivate var unmapped: SocketAddress { SocketAddress(self.ip.unmapped, port: self.port) }
}
