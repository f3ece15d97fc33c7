package import Bytes

/// Takes a polling body apart into packets.
///
/// Base64 is decoded where it lies, so all packets point into the one body they came in.
package struct EnginePayloadDecoder: Hashable, Sendable {
    package let version: EngineVersion
    /// How many packets one body may hold. How many bytes it may have is for the reader of the request to say.
    package let maximumPackets: Int

    package init(version: EngineVersion, maximumPackets: Int = 10_000) {
        self.version = version
        self.maximumPackets = maximumPackets
    }

    /// All packets of `body`, or the first place where it stops making sense. `isBinary` says that the body came
    /// as `application/octet-stream`, which only version 3 knows.
    package func decode(_ body: inout [UInt8], isBinary: Bool) throws(ByteError) -> [EnginePacket] {
        let found =
            switch (self.version, isBinary) {
            case (.v4, false): try self.separated(body.span)
            case (.v3, false): try self.counted(body.span)
            case (.v3, true): try self.typed(body.span)
            case (.v4, true): throw ByteError(.malformed, at: 0)
            }
        var packets: [EnginePacket] = []
        packets.reserveCapacity(found.count)
        for packet in found { packets.append(try packet.withoutBase64(in: &body)) }
        return packets
    }

    /// Version 4: packets with 0x1e between them.
    private func separated(_ bytes: Span<UInt8>) throws(ByteError) -> [EnginePacket] {
        try Self.proveText(bytes, in: bytes.indices)
        var packets: [EnginePacket] = []
        var start = 0
        for index in 0...bytes.count where index == bytes.count || bytes[index] == EnginePayload.separator {
            try self.append(EnginePacket(text: bytes, in: start..<index, version: .v4), to: &packets)
            start = index + 1
        }
        return packets
    }

    /// Version 3, text: `<length>:<packet>`, the length in UTF-16 code units, as JavaScript counts.
    private func counted(_ bytes: Span<UInt8>) throws(ByteError) -> [EnginePacket] {
        try Self.proveText(bytes, in: bytes.indices)
        var packets: [EnginePacket] = []
        var start = 0
        repeat {
            let (length, text) = try Self.length(in: bytes, at: start)
            let end = try UTF16Count.advance(in: bytes, from: text, by: length)
            // An empty payload is written `0:`.
            if length > 0 { try self.append(EnginePacket(text: bytes, in: text..<end, version: .v3), to: &packets) }
            start = end
        } while start < bytes.count
        return packets
    }

    private static func length(in bytes: Span<UInt8>, at start: Int) throws(ByteError) -> (Int, next: Int) {
        var index = start
        var length = 0
        while index < bytes.count, let digit = Self.digit(bytes[index], from: UInt8(ascii: "0")) {
            try Self.push(digit, to: &length, at: index, isFirst: index == start)
            index += 1
        }
        guard index < bytes.count else { throw ByteError(.truncated, at: index) }
        guard index > start, bytes[index] == UInt8(ascii: ":") else {
            throw ByteError(.unexpected(bytes[index]), at: index)
        }
        return (length, index + 1)
    }

    /// Version 3, binary: 0 or 1 for text or binary, the length as one byte per decimal digit, 255, the packet.
    private func typed(_ bytes: Span<UInt8>) throws(ByteError) -> [EnginePacket] {
        var packets: [EnginePacket] = []
        var start = 0
        repeat {
            let (isText, packet) = try Self.typedPacket(in: bytes, at: start)
            if isText {
                try Self.proveText(bytes, in: packet)
                try self.append(EnginePacket(text: bytes, in: packet, version: .v3), to: &packets)
            } else {
                try self.append(EnginePacket(typedBinary: bytes, in: packet), to: &packets)
            }
            start = packet.upperBound
        } while start < bytes.count
        return packets
    }

    private static func typedPacket(in bytes: Span<UInt8>, at start: Int) throws(ByteError) -> (Bool, Range<Int>) {
        guard start < bytes.count else { throw ByteError(.truncated, at: start) }
        guard bytes[start] <= 1 else { throw ByteError(.unexpected(bytes[start]), at: start) }
        var index = start + 1
        var length = 0
        while index < bytes.count, let digit = Self.digit(bytes[index], from: 0) {
            try Self.push(digit, to: &length, at: index, isFirst: index == start + 1)
            index += 1
        }
        guard index < bytes.count else { throw ByteError(.truncated, at: index) }
        guard index > start + 1, bytes[index] == 255 else { throw ByteError(.unexpected(bytes[index]), at: index) }
        guard length <= bytes.count - index - 1 else { throw ByteError(.truncated, at: bytes.count) }
        return (bytes[start] == 0, index + 1..<index + 1 + length)
    }

    private static func digit(_ byte: UInt8, from zero: UInt8) -> Int? {
        byte >= zero && byte - zero < 10 ? Int(byte - zero) : nil
    }

    /// One more digit, in canonical form (no zero in front) and at most nine of them.
    private static func push(_ digit: Int, to length: inout Int, at index: Int, isFirst: Bool) throws(ByteError) {
        guard isFirst || length > 0, length < 100_000_000 else { throw ByteError(.outOfRange, at: index) }
        length = length * 10 + digit
    }

    private static func proveText(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ByteError) {
        do {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw ByteError(.malformed, at: range.lowerBound)
        }
    }

    private func append(_ packet: EnginePacket, to packets: inout [EnginePacket]) throws(ByteError) {
        guard packets.count < self.maximumPackets else { throw ByteError(.outOfRange, at: packet.body.lowerBound) }
        packets.append(packet)
    }
}

extension EnginePacket {
    /// The same packet with its Base64 decoded where it lay.
    package func withoutBase64(in bytes: inout [UInt8]) throws(ByteError) -> EnginePacket {
        guard self.form == .base64 else { return self }
        let decoded = try Base64.decode(in: &bytes, at: self.body)
        return EnginePacket(self.kind, .binary, at: decoded)
    }
}
