package import Bytes

/// When packets arrived, counted across all streams of a transport
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1).
package struct TransportWideFeedback: ~Escapable {
    /// Times are multiples of 250 µs.
    package static let ticksPerSecond: Int64 = 4000
    /// The reference is a multiple of 64 ms.
    private static let ticksPerReference: Int64 = 256

    private let bytes: Span<UInt8>

    /// Nil when the packet is about something else.
    @_lifetime(copy packet)
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.isFeedback(.transportFeedback, RTCPFeedbackFormat.transportWide) else { return nil }
        self.bytes = packet.bytes
    }

    package var firstSequence: UInt16 { self.bytes.bigEndian(at: 12) }
    package var packetCount: Int { Int(self.bytes.bigEndian(at: 14, as: UInt16.self)) }
    /// Counts the feedback itself.
    package var number: UInt8 { self.bytes[19] }

    /// In ticks since some moment of the receiver's, around a circle of 24 bits of 64 ms.
    package var reference: Int64 {
        Int64(self.bytes.bigEndian(at: 16, as: Int32.self) >> 8) * Self.ticksPerReference
    }

    /// Each packet in its order, with the ticks at which it arrived, or nil when it did not.
    package func forEach(_ body: (_ sequence: UInt16, _ arrival: Int64?) -> Void) {
        var sequence = self.firstSequence
        var time = self.reference
        var delta = Self.chunksEnd(self.bytes)
        Self.forEachStatus(self.bytes) { status in
            switch status {
            case 1:
                time += Int64(self.bytes[delta])
                delta += 1
            case 2:
                time += Int64(self.bytes.bigEndian(at: delta, as: Int16.self))
                delta += 2
            default: break
            }
            body(sequence, status == 1 || status == 2 ? time : nil)
            sequence &+= 1
        }
    }

    /// Where the chunks end and the times begin, which is known only once all packets are counted.
    private static func chunksEnd(_ bytes: Span<UInt8>) -> Int { self.forEachStatus(bytes) { _ in } }

    /// Says where the chunks end; behind the packet when they are cut short.
    @discardableResult
    fileprivate static func forEachStatus(_ bytes: Span<UInt8>, _ body: (UInt8) -> Void) -> Int {
        var left = Int(bytes.bigEndian(at: 14, as: UInt16.self))
        var offset = 20
        while left > 0 {
            guard offset + 2 <= bytes.count else { return bytes.count + 1 }
            let chunk: UInt16 = bytes.bigEndian(at: offset)
            offset += 2
            if chunk & 0x8000 == 0 {
                let run = min(left, Int(chunk & 0x1FFF))
                // A run of none would never end.
                guard run > 0 else { return bytes.count + 1 }
                for _ in 0..<run { body(UInt8(chunk >> 13 & 3)) }
                left -= run
            } else {
                let width = chunk & 0x4000 == 0 ? 1 : 2
                let count = min(left, 14 / width)
                for index in 0..<count {
                    body(UInt8(truncatingIfNeeded: chunk >> UInt16(14 - width * (index + 1))) & (1 << width - 1))
                }
                left -= count
            }
        }
        return offset
    }
}

extension RTCPPacket {
    /// The chunks have to tell of as many packets as the head, and each that arrived has to have a time.
    var transportWideOffence: ByteError? {
        if let offence = self.needs(20) { return offence }
        var times = 0
        let end = TransportWideFeedback.forEachStatus(self.bytes) { times += $0 == 3 ? 0 : Int($0) }
        return self.needs(end + times)
    }
}

extension RTCPWriter {
    /// Tells when packets arrived, from `first` on, each in ticks of the same clock or nil for those that did not. Says
    /// how many it told of: fewer than all when two times lie too far apart for one packet, or there are too many.
    ///
    /// - Parameter number: one more for each feedback.
    package static func transportWide(
        from ssrc: UInt32, about media: UInt32, first: UInt16, arrivals: Span<Int64?>, number: UInt8,
        to writer: inout ByteWriter
    ) -> Int {
        let statuses = TransportWideStatuses(arrivals)
        guard statuses.count > 0 else { return 0 }
        self.feedback(.transportFeedback, RTCPFeedbackFormat.transportWide, ssrc, media, to: &writer) { writer in
            writer.write(first)
            writer.write(UInt16(statuses.count))
            writer.write(UInt32(truncatingIfNeeded: statuses.reference) << 8 | UInt32(number))
            statuses.writeChunks(arrivals, to: &writer)
            statuses.writeTimes(arrivals, to: &writer)
        }
        return statuses.count
    }
}

/// What becomes of arrivals when they are written. Worked out anew for each part instead of being kept, so that nothing
/// is allocated.
private struct TransportWideStatuses {
    /// No more in one feedback: what a datagram holds for certain.
    private static let maximumStatuses = 400

    /// In units of 64 ms.
    let reference: Int64
    private(set) var count = 0

    init(_ arrivals: Span<Int64?>) {
        var reference: Int64?
        var last: Int64 = 0
        for index in 0..<min(arrivals.count, Self.maximumStatuses) {
            if let arrival = arrivals[index] {
                if reference == nil {
                    // Rounded down, so that the first time is not below zero.
                    reference = arrival >> 8
                    last = arrival & ~0xFF
                }
                guard Int16(exactly: arrival &- last) != nil else { break }
                last = arrival
            }
            self.count = index + 1
        }
        self.reference = reference ?? 0
    }

    private func forEachDelta(_ arrivals: Span<Int64?>, _ body: (Int, Int64?) -> Void) {
        var last = self.reference << 8
        for index in 0..<self.count {
            body(index, arrivals[index].map { $0 - last })
            last = arrivals[index] ?? last
        }
    }

    private static func status(_ delta: Int64?) -> UInt16 {
        guard let delta else { return 0 }
        return (0...255).contains(delta) ? 1 : 2
    }

    func writeTimes(_ arrivals: Span<Int64?>, to writer: inout ByteWriter) {
        self.forEachDelta(arrivals) { _, delta in
            guard let delta else { return }
            if Self.status(delta) == 1 {
                writer.write(UInt8(truncatingIfNeeded: delta))
            } else {
                writer.write(Int16(truncatingIfNeeded: delta))
            }
        }
    }

    /// Runs where seven or more are alike, otherwise seven at a time. One bit for each would be smaller where all arrive
    /// quickly or not at all, but then most are alike anyway.
    func writeChunks(_ arrivals: Span<Int64?>, to writer: inout ByteWriter) {
        var chunk = Chunk()
        self.forEachDelta(arrivals) { _, delta in chunk.append(Self.status(delta), to: &writer) }
        chunk.finish(&writer)
    }

    /// What waits to be written: one run, or up to seven that are not alike.
    private struct Chunk {
        private var run = 0
        private var symbol: UInt16 = 0
        private var vector: UInt16 = 0
        private var held = 0

        mutating func append(_ status: UInt16, to writer: inout ByteWriter) {
            let isRun = self.run == self.held && (self.held == 0 || status == self.symbol)
            if !isRun, self.held >= 7 { self.finish(&writer) }
            if self.held == 0 { self.symbol = status }
            if status == self.symbol, self.run == self.held { self.run += 1 }
            if self.held < 7 { self.vector |= status << UInt16(12 - 2 * self.held) }
            self.held += 1
            let isFull = self.run == self.held ? self.run == 0x1FFF : self.held == 7
            if isFull { self.finish(&writer) }
        }

        mutating func finish(_ writer: inout ByteWriter) {
            guard self.held > 0 else { return }
            if self.run == self.held {
                writer.write(self.symbol << 13 | UInt16(self.run))
            } else {
                writer.write(0xC000 | self.vector)
            }
            self = Chunk()
        }
    }
}
