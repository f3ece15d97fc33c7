package import Bytes
package import STUN
package import Vocabulary

/// What a machine wants done after it was told something: packets to send and events to tell.
///
/// It is passed in to every call, so no caller can forget to empty it, and keeps its memory from one time to the next.
package struct Outbox<Event: Sendable>: Sendable {
    package var packets = PacketQueue()
    package var events: [Event] = []

    package init() {}

    // Specialised because agents are asked with each packet (docs/decisions/0003).
    package var isEmpty: Bool {
        @specialized(where Event == ICEEvent) get { self.packets.isEmpty && self.events.isEmpty }
    }

    @specialized(where Event == ICEEvent)
    package mutating func removeAll() {
        self.packets.removeAll()
        if !self.events.isEmpty { self.events.removeAll(keepingCapacity: true) }
    }
}

/// Which of the machine's ways to send is meant: a UDP socket, a TCP connection, a relay. Who drives the machine gives
/// them their numbers.
package struct PathID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Packets that are to leave, all in one piece of memory.
package struct PacketQueue: Sendable {
    package struct Packet: Hashable, Sendable {
        /// From where it leaves.
        package let path: PathID
        package let destination: SocketAddress
        /// Where its bytes lie in the queue.
        package let range: Range<Int>
    }

    package private(set) var packets: [Packet] = []
    private var writer = ByteWriter()

    package init() {}

    package var isEmpty: Bool { self.packets.isEmpty }
    package var count: Int { self.packets.count }

    package mutating func removeAll() {
        self.packets.removeAll(keepingCapacity: true)
        self.writer.removeAll()
    }

    /// The bytes of a packet, lent for the time of the call.
    package func withBytes<Result>(of packet: Packet, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try body(self.writer.bytes.span.extracting(packet.range))
    }

    package func bytes(of packet: Packet) -> [UInt8] { Array(self.writer.bytes[packet.range]) }

    /// Lets `write` append one packet behind those that are there.
    package mutating func append(
        from path: PathID, to destination: SocketAddress, _ write: (inout ByteWriter) -> Void
    ) {
        let start = self.writer.count
        write(&self.writer)
        self.packets.append(Packet(path: path, destination: destination, range: start..<self.writer.count))
    }

    package mutating func append(from path: PathID, to destination: SocketAddress, _ bytes: Span<UInt8>) {
        let start = self.writer.count
        self.writer.write(bytes)
        self.packets.append(Packet(path: path, destination: destination, range: start..<self.writer.count))
    }

    /// Begins a STUN message whose bytes will lie in the queue; `finish` takes it.
    package mutating func begin(
        _ class: STUNMessageType.Class, _ method: UInt16, _ transaction: TransactionID
    ) -> STUNWriter {
        var taken = ByteWriter()
        swap(&taken, &self.writer)
        return STUNWriter(`class`, method, transaction, into: consume taken)
    }

    package mutating func finish(_ message: consuming STUNWriter, from path: PathID, to destination: SocketAddress) {
        let count = message.count
        self.writer = message.finish()
        let range = (self.writer.count - count)..<self.writer.count
        self.packets.append(Packet(path: path, destination: destination, range: range))
    }
}
