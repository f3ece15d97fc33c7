import SocketIO

/// Whatever comes, a payload or a frame is refused or means the same after it was written anew.
enum EnginePayloadFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let version: EngineVersion = input.control & 1 == 0 ? .v4 : .v3
        self.payload(input.bytes, version, isBinary: input.control & 2 != 0)
        _ = try? EnginePacket(textFrame: input.bytes.span, version: version)
        _ = try? EnginePacket(binaryFrame: input.bytes.span, version: version)
    }

    private static func payload(_ bytes: [UInt8], _ version: EngineVersion, isBinary: Bool) {
        var body = bytes
        let decoder = EnginePayloadDecoder(version: version, maximumPackets: 100)
        guard let packets = try? decoder.decode(&body, isBinary: isBinary), !packets.isEmpty else { return }
        let encoded = packets.map { self.encoded($0, in: body) }
        for base64Only in [false, true] {
            let payload = EnginePayload(encoded, version: version, base64Only: base64Only)
            var again = payload.bytes
            let same = try? decoder.decode(&again, isBinary: payload.isBinary).map { self.encoded($0, in: again).bytes }
            precondition(same == encoded.map(\.bytes), "\(packets) came back as \(same ?? [])")
        }
    }

    private static func encoded(_ packet: EnginePacket, in bytes: [UInt8]) -> EncodedPacket {
        let content = Array(bytes[packet.body])
        return packet.form == .text ? EncodedPacket(packet.kind, body: content) : EncodedPacket(binary: content)
    }
}
