internal import Bytes
internal import RTP

/// What was sent last, to be sent along with what comes (RFC 2198).
struct RecentPayloads: Sendable {
    private struct Payload {
        var timestamp: UInt32 = 0
        var bytes: [UInt8] = []
    }

    private static let capacity = 5

    /// The latest first.
    private var payloads = [Payload](repeating: Payload(), count: Self.capacity)
    private(set) var count = 0

    mutating func remember(_ bytes: Span<UInt8>, timestamp: UInt32) {
        var payload = self.payloads.removeLast()
        payload.timestamp = timestamp
        payload.bytes.removeAll(keepingCapacity: true)
        payload.bytes.append(copying: bytes)
        self.payloads.insert(payload, at: 0)
        self.count = min(self.count + 1, Self.capacity)
    }

    mutating func removeAll() {
        self.count = 0
    }

    /// How many packets behind their own the copies travel, the farthest first: right behind where losses come alone, which costs no delay; further apart where packets get lost together, or a packet and its copies would be lost in the same burst.
    static func distances(_ generations: Int, isBursty: Bool) -> ArraySlice<Int> {
        (isBursty ? Self.apart : Self.near).suffix(generations)
    }

    private static let near = [2, 1]
    private static let apart = [5, 2]

    /// May travel: neither too old nor too long for its header.
    private func isUsable(_ distance: Int, before timestamp: UInt32) -> Bool {
        guard distance <= self.count else { return false }
        let payload = self.payloads[distance - 1]
        return timestamp &- payload.timestamp <= UInt32(REDPayload.oldestCopy)
            && payload.bytes.count <= REDPayload.maximumCopyBytes
    }

    /// Writes a payload with copies of those before it, and says how many bytes are copies and their headers.
    func write(
        _ payload: Span<UInt8>, timestamp: UInt32, payloadType: UInt8, distances: ArraySlice<Int>,
        to writer: inout ByteWriter
    ) -> Int {
        let start = writer.count
        for distance in distances where self.isUsable(distance, before: timestamp) {
            let copy = self.payloads[distance - 1]
            REDPayload.writeCopy(
                payloadType: payloadType, timestampOffset: Int(timestamp &- copy.timestamp), count: copy.bytes.count,
                to: &writer)
        }
        REDPayload.writePrimary(payloadType: payloadType, to: &writer)
        for distance in distances where self.isUsable(distance, before: timestamp) {
            writer.write(contentsOf: self.payloads[distance - 1].bytes)
        }
        let redundant = writer.count - start
        writer.write(payload)
        return redundant
    }
}
