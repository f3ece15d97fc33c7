package import Bytes
internal import Hashing
package import Vocabulary

/// Writes one message at the end of bytes that may already hold others, so that many packets share one memory.
///
/// The header's length is true after every attribute. Integrity and fingerprint come last, in this order.
package struct STUNWriter: ~Copyable {
    package let transaction: TransactionID
    private var writer: ByteWriter
    private let start: Int

    package init(
        _ class: STUNMessageType.Class, _ method: UInt16 = STUNMethod.binding, _ transaction: TransactionID,
        into writer: consuming ByteWriter = ByteWriter(reservingCapacity: 128)
    ) {
        self.transaction = transaction
        self.start = writer.count
        self.writer = writer
        STUNHeader(STUNMessageType(`class`, method: method), attributesLength: 0, transaction).write(to: &self.writer)
    }

    /// An answer to a message, of the same method and transaction.
    package init(
        _ class: STUNMessageType.Class, to request: STUNHeader,
        into writer: consuming ByteWriter = ByteWriter(reservingCapacity: 128)
    ) {
        self.init(`class`, request.type.method, request.transaction, into: writer)
    }

    /// All bytes, with those that were there before.
    package consuming func finish() -> ByteWriter { self.writer }

    /// How long the message is so far.
    package var count: Int { self.writer.count - self.start }

    private mutating func begin(_ type: STUNAttributeType, _ length: Int) {
        precondition(length <= 0xFFFF, "an attribute of \(length) bytes")
        self.writer.write(type.rawValue)
        self.writer.write(UInt16(length))
    }

    private mutating func end() {
        self.writer.writeZeros((0 &- self.count) & 3)
        self.writeLength(self.count - STUNHeader.length)
    }

    private mutating func writeLength(_ length: Int) {
        precondition(length <= 0xFFFF, "a message with attributes of \(length) bytes")
        self.writer.overwrite(at: self.start + 2, with: UInt16(length))
    }
}

// MARK: - Attributes

extension STUNWriter {
    /// One that says all by being there.
    package mutating func append(_ type: STUNAttributeType) {
        self.begin(type, 0)
        self.end()
    }

    package mutating func append(_ type: STUNAttributeType, _ value: Span<UInt8>) {
        self.begin(type, value.count)
        self.writer.write(value)
        self.end()
    }

    package mutating func append(_ type: STUNAttributeType, text: String) {
        self.begin(type, text.utf8.count)
        self.writer.write(text)
        self.end()
    }

    package mutating func append(_ type: STUNAttributeType, _ number: UInt8) {
        self.begin(type, 1)
        self.writer.write(number)
        self.end()
    }

    package mutating func append(_ type: STUNAttributeType, _ number: UInt32) {
        self.begin(type, 4)
        self.writer.write(number)
        self.end()
    }

    package mutating func append(_ type: STUNAttributeType, _ number: UInt64) {
        self.begin(type, 8)
        self.writer.write(number)
        self.end()
    }

    /// Hidden where the name demands it. An IPv4 address in IPv6 dress is written without the dress.
    package mutating func append(_ type: STUNAttributeType, _ address: SocketAddress) {
        let address = SocketAddress(address.ip.unmapped, port: address.port)
        self.begin(type, STUNAddress.length(of: address))
        STUNAddress.write(address, to: &self.writer, hiddenBy: type.isHiddenAddress ? self.transaction : nil)
        self.end()
    }

    package mutating func append(_ code: STUNErrorCode, reason: String = "") {
        self.begin(.errorCode, 4 + reason.utf8.count)
        self.writer.write(UInt16(0))
        self.writer.write(UInt8(code.rawValue / 100))
        self.writer.write(UInt8(code.rawValue % 100))
        self.writer.write(reason)
        self.end()
    }

    package mutating func append(unknown types: [STUNAttributeType]) {
        self.begin(.unknownAttributes, types.count * 2)
        for type in types { self.writer.write(type.rawValue) }
        self.end()
    }
}

// MARK: - TURN and NATs

extension STUNWriter {
    package mutating func append(_ channel: ChannelNumber) {
        self.append(.channelNumber, UInt32(channel.rawValue) << 16)
    }

    package mutating func append(lifetime: Duration) {
        self.append(.lifetime, UInt32(clamping: lifetime.clampedMilliseconds / 1000))
    }

    /// 17 for UDP, 6 for TCP.
    package mutating func append(requestedTransport number: UInt8) {
        self.append(.requestedTransport, UInt32(number) << 24)
    }

    package mutating func append(_ type: STUNAttributeType, _ family: STUNAddressFamily) {
        self.append(type, UInt32(family.rawValue) << 24)
    }

    package mutating func append(addressError code: STUNErrorCode, for family: STUNAddressFamily) {
        let number = UInt32(code.rawValue / 100) << 8 | UInt32(code.rawValue % 100)
        self.append(.addressErrorCode, UInt32(family.rawValue) << 24 | number)
    }

    package mutating func append(_ change: STUNChangeRequest) {
        self.append(.changeRequest, change.rawValue)
    }

    package mutating func append(responsePort port: UInt16) {
        self.append(.responsePort, UInt32(port) << 16)
    }
}

// MARK: - Proofs

extension STUNWriter {
    /// MESSAGE-INTEGRITY over all that is written so far (RFC 8489 §14.5).
    package mutating func appendIntegrity(_ key: STUNKey) {
        self.appendIntegrity(.messageIntegrity, key.sha1)
    }

    /// MESSAGE-INTEGRITY-SHA256 (RFC 8489 §14.6).
    package mutating func appendIntegritySHA256(_ key: STUNKey) {
        self.appendIntegrity(.messageIntegritySHA256, key.sha256)
    }

    private mutating func appendIntegrity(_ type: STUNAttributeType, _ key: HMACKey) {
        // The header already counts the attribute while the code is computed.
        self.writeLength(self.count + 4 + key.digest.byteCount - STUNHeader.length)
        let code = self.code(key)
        self.begin(type, code.count)
        for index in 0..<code.count { self.writer.write(code.bytes[index]) }
    }

    private func code(_ key: HMACKey) -> HMACCode {
        let message = self.writer.bytes.span
        return key.code(
            of: message.extracting(self.start..<(self.start + 4)), message.extracting((self.start + 4)...))
    }

    /// The checksum that tells STUN from everything else (RFC 8489 §14.7).
    package mutating func appendFingerprint() {
        self.writeLength(self.count + 8 - STUNHeader.length)
        self.append(.fingerprint, self.checksum())
    }

    private func checksum() -> UInt32 {
        STUNFingerprint.of(self.writer.bytes.span.extracting(self.start...))
    }
}
