internal import BinaryCoding
package import Bytes
package import SocketIO
package import Vocabulary

/// What one client was sent and may not have received, in order.
///
/// Events are named by offsets that the client repeats when it comes back. An event leaves the log when the client
/// has shown that it has it (a ping came back that was sent behind it, and one more after that), or when the log
/// grows beyond its limit. The offset before the first event that is kept stays known, so a client on a quiet line,
/// whose last event has long left the log, is recognised all the same.
package struct ReplayLog: Sendable {
    package struct Limits: Hashable, Sendable {
        package let events: Int
        package let bytes: Int

        package init(events: Int = 1024, bytes: Int = 262_144) {
            self.events = events
            self.bytes = bytes
        }
    }

    private struct Entry: Sendable {
        let offset: EventOffset
        /// The event and its attachments; nothing for an event that need not be sent again.
        let packets: [EncodedPacket]

        /// Counted when asked: there are many entries, and each is asked twice.
        var bytes: Int { self.packets.reduce(0) { $0 + $1.bytes.count } }
    }

    private let limits: Limits
    /// The events from `firstNumber` on, behind `gone` places of the array that are no longer in use.
    private var entries: [Entry?] = []
    private var gone = 0
    private(set) var bytes = 0
    /// What the client has when it has everything before the first entry.
    private var base: RecoveryRequest.Position = .start
    /// Events are counted from the first one on.
    private var firstNumber = 0
    /// How far the ping that is out, and the last one that came back, reach.
    private var pinged = 0
    private var ponged = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    package var count: Int { self.entries.count - self.gone }

    /// An event was sent, or would have been if the client were there.
    ///
    /// With no packets it is an event that is not worth a second time, like a sign of typing: only its offset counts,
    /// for the client may name it.
    package mutating func append(_ packets: [EncodedPacket], as offset: EventOffset) {
        let entry = Entry(offset: offset, packets: packets)
        self.entries.append(entry)
        self.bytes += entry.bytes
        while self.count > self.limits.events || self.bytes > self.limits.bytes, self.count > 0 { self.removeFirst() }
    }

    /// A ping went out behind everything so far.
    package mutating func pingSent() {
        self.pinged = self.firstNumber + self.count
    }

    /// It came back. What the one before it covered goes: a client that could answer twice has long read that.
    package mutating func pongReceived() {
        while self.firstNumber < self.ponged, self.count > 0 { self.removeFirst() }
        self.ponged = self.pinged
        // A quiet client keeps no memory for what it was sent once.
        if self.count == 0 { (self.entries, self.gone) = ([], 0) }
    }

    /// For how many events there is memory.
    var capacity: Int { self.entries.capacity }

    /// Everything sent behind `position`, or nil when that cannot be said without a gap. What is before it goes.
    package mutating func replay(from position: RecoveryRequest.Position) -> [[EncodedPacket]]? {
        guard self.forget(through: position) else { return nil }
        self.pinged = self.firstNumber
        self.ponged = self.firstNumber
        return self.entries[self.gone...].compactMap { $0?.packets }.filter { !$0.isEmpty }
    }

    private mutating func forget(through position: RecoveryRequest.Position) -> Bool {
        guard position != self.base else { return true }
        guard case .after(let offset) = position,
            let index = self.entries[self.gone...].lastIndex(where: { $0?.offset == offset })
        else { return false }
        for _ in self.gone...index { self.removeFirst() }
        return true
    }

    private mutating func removeFirst() {
        guard let first = self.entries[self.gone] else { return }
        self.base = .after(first.offset)
        self.bytes -= first.bytes
        self.entries[self.gone] = nil
        self.gone += 1
        self.firstNumber += 1
        guard self.gone > 32, self.gone * 2 > self.entries.count else { return }
        self.entries.removeFirst(self.gone)
        self.gone = 0
    }
}

/// As another node goes on with it. Pings that are out do not come back there.
extension ReplayLog: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.base.number)
        let entries = self.entries[self.gone...].compactMap(\.self)
        bytes.put(entries.count)
        for entry in entries {
            bytes.put(entry.offset.number)
            bytes.put(entry.packets.count)
            for packet in entry.packets { bytes.put(packet.isBinary, packet.bytes) }
        }
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init()
        let base: UInt64? = try bytes.take()
        self.base = base.map { .after(EventOffset($0)) } ?? .start
        for _ in 0..<max(0, try bytes.take(Int.self)) {
            let offset = EventOffset(try bytes.take() as UInt64)
            var packets: [EncodedPacket] = []
            for _ in 0..<max(0, try bytes.take(Int.self)) { packets.append(try EncodedPacket(from: &bytes)) }
            self.append(packets, as: offset)
        }
    }
}

extension EncodedPacket {
    fileprivate convenience init(from bytes: inout ByteReader) throws(ByteError) {
        let (isBinary, packet): (Bool, [UInt8]) = (try bytes.take(), try bytes.take())
        guard let first = packet.first else { throw ByteError(.malformed, at: bytes.offset) }
        guard isBinary || first == EnginePacket.Kind.message.digit else {
            throw ByteError(.malformed, at: bytes.offset)
        }
        if isBinary { self.init(binary: packet.dropFirst()) } else { self.init(messageWithDigit: packet) }
    }
}

extension RecoveryRequest.Position {
    fileprivate var number: UInt64? {
        if case .after(let offset) = self { offset.number } else { nil }
    }
}
