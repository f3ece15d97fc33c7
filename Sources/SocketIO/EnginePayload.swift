import Bytes

/// A polling body ready to be sent.
package struct EnginePayload: Hashable, Sendable {
    package let bytes: [UInt8]
    /// `application/octet-stream`, and not `text/plain; charset=UTF-8`.
    package let isBinary: Bool

    static let separator: UInt8 = 0x1E

    /// Puts packets together in the form their receiver reads. `base64Only` is what a client of version 3 asks
    /// for with `b64=1`; version 4 is always text.
    package init(_ packets: [EncodedPacket], version: EngineVersion, base64Only: Bool) {
        switch version {
        case .v4:
            self.bytes = Self.separated(packets)
            self.isBinary = false
        case .v3 where !base64Only && packets.contains { $0.isBinary }:
            self.bytes = Self.typed(packets)
            self.isBinary = true
        case .v3:
            self.bytes = Self.counted(packets)
            self.isBinary = false
        }
    }

    private static func separated(_ packets: [EncodedPacket]) -> [UInt8] {
        var bytes = Self.buffer(for: packets)
        for packet in packets {
            if !bytes.isEmpty { bytes.append(Self.separator) }
            if packet.isBinary {
                bytes.append(UInt8(ascii: "b"))
                packet.appendBase64(to: &bytes)
            } else {
                bytes.append(contentsOf: packet.bytes)
            }
        }
        return bytes
    }

    private static func counted(_ packets: [EncodedPacket]) -> [UInt8] {
        guard !packets.isEmpty else { return Array("0:".utf8) }
        var bytes = Self.buffer(for: packets)
        for packet in packets {
            if packet.isBinary {
                let length = 2 + (packet.bytes.count - 1 + 2) / 3 * 4
                bytes.append(contentsOf: "\(length):b4".utf8)
                packet.appendBase64(to: &bytes)
            } else {
                let text = packet.bytes
                bytes.append(contentsOf: "\(UTF16Count.of(text.span)):".utf8)
                bytes.append(contentsOf: text)
            }
        }
        return bytes
    }

    private static func typed(_ packets: [EncodedPacket]) -> [UInt8] {
        var bytes = Self.buffer(for: packets)
        for packet in packets {
            bytes.append(packet.isBinary ? 1 : 0)
            for digit in String(packet.bytes.count).utf8 { bytes.append(digit - UInt8(ascii: "0")) }
            bytes.append(255)
            bytes.append(contentsOf: packet.bytes)
        }
        return bytes
    }

    private static func buffer(for packets: [EncodedPacket]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(packets.reduce(0) { $0 + $1.payloadBound })
        return bytes
    }
}

extension EncodedPacket {
    /// The content of a binary packet, dressed for text.
    fileprivate func appendBase64(to bytes: inout [UInt8]) {
        let data = self.bytes
        Base64.append(data.span.extracting(droppingFirst: 1), to: &bytes)
    }
}
