internal import Bytes
package import Vocabulary

/// Datagrams as a file that other programs look into (pcapng, draft-ietf-opsawg-pcapng): each in packets of IP and UDP
/// that are made up around it.
package struct PacketCapture: Sendable {
    /// What has been written and not yet taken away.
    private var output = ByteWriter()

    /// Packets of IP, without what a network puts in front of them.
    private static let rawIP: UInt16 = 101
    /// Longer ones do not fit into IP.
    package static let maximumPayloadBytes = 65_000
    private static let maximumCommentBytes = 500

    package init(program: String = "parley") {
        self.writeSection(program)
        self.writeInterface()
    }

    package mutating func takeOutput() -> [UInt8] {
        var output = ByteWriter()
        swap(&output, &self.output)
        return output.bytes
    }

    /// - Parameters:
    ///   - time: since 1970, in nanoseconds.
    ///   - comment: stands beside the packet.
    package mutating func add(
        _ payload: Span<UInt8>, from source: SocketAddress, to target: SocketAddress, time: UInt64,
        comment: String? = nil
    ) {
        guard payload.count <= Self.maximumPayloadBytes else { return }
        let start = self.beginBlock(6)
        self.output.write(UInt32(0))
        self.output.write(UInt32(truncatingIfNeeded: time >> 32))
        self.output.write(UInt32(truncatingIfNeeded: time))
        let lengths = self.output.count
        self.output.write(UInt64(0))
        let packet = self.output.count
        self.writePacket(
            payload, SocketAddress(source.ip.unmapped, port: source.port),
            SocketAddress(target.ip.unmapped, port: target.port))
        let count = UInt32(self.output.count - packet)
        self.output.overwrite(at: lengths, with: count)
        self.output.overwrite(at: lengths + 4, with: count)
        if let comment {
            self.pad(from: packet)
            self.writeOption(1, Array(comment.utf8.prefix(Self.maximumCommentBytes)))
            self.output.write(UInt32(0))
        }
        self.endBlock(start)
    }
}

// MARK: - Blocks

extension PacketCapture {
    private mutating func beginBlock(_ kind: UInt32) -> Int {
        let start = self.output.count
        self.output.write(kind)
        self.output.write(UInt32(0))
        return start
    }

    /// A block says its length in front and behind, and is made of whole words.
    private mutating func endBlock(_ start: Int) {
        self.pad(from: start)
        let length = UInt32(self.output.count - start + 4)
        self.output.overwrite(at: start + 4, with: length)
        self.output.write(length)
    }

    private mutating func pad(from start: Int) {
        self.output.writeZeros((4 - (self.output.count - start) % 4) % 4)
    }

    private mutating func writeSection(_ program: String) {
        let start = self.beginBlock(0x0A0D_0D0A)
        self.output.write(UInt32(0x1A2B_3C4D))
        self.output.write(UInt32(0x0001_0000))
        // Its length is not known yet.
        self.output.write(UInt64.max)
        self.writeOption(4, Array(program.utf8))
        self.output.write(UInt32(0))
        self.endBlock(start)
    }

    private mutating func writeInterface() {
        let start = self.beginBlock(1)
        self.output.write(Self.rawIP)
        self.output.write(UInt16(0))
        self.output.write(UInt32(0))
        // Times are in nanoseconds.
        self.writeOption(9, [9])
        self.output.write(UInt32(0))
        self.endBlock(start)
    }

    private mutating func writeOption(_ code: UInt16, _ value: [UInt8]) {
        let start = self.output.count
        self.output.write(code)
        self.output.write(UInt16(value.count))
        self.output.write(contentsOf: value)
        self.pad(from: start)
    }
}

// MARK: - Packets

extension PacketCapture {
    private mutating func writePacket(_ payload: Span<UInt8>, _ source: SocketAddress, _ target: SocketAddress) {
        let length = 8 + payload.count
        switch (source.ip, target.ip) {
        case (.v4(let from), .v4(let to)): self.writeHeader(from, to, length)
        default: self.writeHeader(source.ip.wide, target.ip.wide, length)
        }
        let udp = self.output.count
        self.output.write(source.port)
        self.output.write(target.port)
        self.output.write(UInt16(length))
        self.output.write(UInt16(0))
        self.output.write(payload)
        // IPv4 does without; IPv6 does not (RFC 8200 §8.1).
        if case (.v4, .v4) = (source.ip, target.ip) { return }
        let pseudo = [source.ip.wide.0, source.ip.wide.1, target.ip.wide.0, target.ip.wide.1]
        let sum = Self.checksum(self.output.bytes[udp...], Self.sum(pseudo) + UInt64(length) + 17)
        self.output.overwrite(at: udp + 6, with: sum == 0 ? .max : sum)
    }

    private mutating func writeHeader(_ source: UInt32, _ target: UInt32, _ length: Int) {
        let start = self.output.count
        self.output.write(UInt16(0x4500))
        self.output.write(UInt16(20 + length))
        self.output.write(UInt32(0))
        self.output.write(UInt16(0x4011))
        self.output.write(UInt16(0))
        self.output.write(source)
        self.output.write(target)
        self.output.overwrite(at: start + 10, with: Self.checksum(self.output.bytes[start...], 0))
    }

    private mutating func writeHeader(_ source: (UInt64, UInt64), _ target: (UInt64, UInt64), _ length: Int) {
        self.output.write(UInt32(0x6000_0000))
        self.output.write(UInt16(length))
        self.output.write(UInt16(0x1140))
        for half in [source.0, source.1, target.0, target.1] { self.output.write(half) }
    }

    private static func sum(_ halves: [UInt64]) -> UInt64 {
        halves.reduce(0) { sum, half in
            sum + (half >> 48) + (half >> 32 & 0xFFFF) + (half >> 16 & 0xFFFF) + (half & 0xFFFF)
        }
    }

    /// RFC 1071.
    private static func checksum(_ bytes: ArraySlice<UInt8>, _ start: UInt64) -> UInt16 {
        var sum = start
        for (offset, byte) in bytes.enumerated() { sum += UInt64(byte) << (offset.isMultiple(of: 2) ? 8 : 0) }
        while sum >> 16 != 0 { sum = (sum & 0xFFFF) + (sum >> 16) }
        return ~UInt16(sum)
    }
}

extension IPAddress {
    /// As IPv6 writes it, whichever family it is of.
    fileprivate var wide: (UInt64, UInt64) {
        switch self {
        case .v4(let ip): (0, 0xFFFF_0000_0000 | UInt64(ip))
        case .v6(let high, let low): (high, low)
        }
    }
}
