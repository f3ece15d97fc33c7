internal import Bytes
internal import RTP

/// What was sent last, to be sent along with what comes (RFC 2198).
struct RecentPayloads: Sendable {
    private struct Payload {
        var timestamp: UInt32 = 0
        var bytes: [UInt8] = []
    }

    static let capacity = 2

    /// The latest first.
    private var payloads = [Payload](repeating: Payload(), count: Self.capacity)
    private(set) var count = 0

    mutating func remember(_ bytes: Span<UInt8>, timestamp: UInt32) {
        self.payloads.swapAt(0, 1)
        self.payloads[0].timestamp = timestamp
        self.payloads[0].bytes.removeAll(keepingCapacity: true)
        self.payloads[0].bytes.append(copying: bytes)
        self.count = min(self.count + 1, Self.capacity)
    }

    mutating func removeAll() {
        self.count = 0
    }

    /// The copies before `timestamp` that may travel, at most so many: neither too old nor too long for their headers.
    private func copies(_ generations: Int, before timestamp: UInt32) -> Range<Int> {
        let usable = self.payloads.prefix(min(generations, self.count)).prefix { payload in
            timestamp &- payload.timestamp <= UInt32(REDPayload.oldestCopy)
                && payload.bytes.count <= REDPayload.maximumCopyBytes
        }
        return 0..<usable.count
    }

    /// Writes a payload with copies of those before it, and says how many bytes are copies and their headers.
    func write(
        _ payload: Span<UInt8>, timestamp: UInt32, payloadType: UInt8, generations: Int, to writer: inout ByteWriter
    ) -> Int {
        let copies = self.copies(generations, before: timestamp)
        let start = writer.count
        for index in copies.reversed() {
            REDPayload.writeCopy(
                payloadType: payloadType, timestampOffset: Int(timestamp &- self.payloads[index].timestamp),
                count: self.payloads[index].bytes.count, to: &writer)
        }
        REDPayload.writePrimary(payloadType: payloadType, to: &writer)
        for index in copies.reversed() { writer.write(contentsOf: self.payloads[index].bytes) }
        let redundant = writer.count - start
        writer.write(payload)
        return redundant
    }
}
