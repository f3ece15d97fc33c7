package import AudioStreams
package import MediaStreams
package import TestSupport

/// Two ends of a call and the line between them, in virtual time. What one says goes to the other after `line` has decided
/// how long it takes, or that it gets lost. The same seed gives the same call again.
package struct VirtualCall: ~Copyable {
    /// A packet on its way: when it left, in milliseconds, and what it is.
    package struct Packet {
        package let time: Double
        package let count: Int
        package let kind: MediaOutbox.Kind
        package let toSecond: Bool
    }

    /// How many milliseconds a packet takes; nil when it gets lost.
    package typealias Line = (_ packet: Packet, _ random: inout SeededRandom) -> Double?

    private struct Flight {
        let arrival: Int64
        let bytes: [UInt8]
        let kind: MediaOutbox.Kind
        let toSecond: Bool
    }

    package var first: VirtualEnd
    package var second: VirtualEnd
    package var line: Line
    /// In nanoseconds since the call began.
    package private(set) var now: Int64 = 0
    package private(set) var packetsSent = 0
    /// In the order of their arrival, the next one last.
    private var flights: [Flight] = []
    private var spare: [[UInt8]] = []
    private var random: SeededRandom

    package init(
        seed: UInt64 = 1, sender: (inout AudioSenderSettings) -> Void = { _ in },
        receiver: (inout AudioReceiverSettings) -> Void = { _ in },
        reporter: (inout MediaReporterSettings) -> Void = { _ in }, line: @escaping Line
    ) {
        self.random = SeededRandom(seed: seed)
        self.line = line
        self.first = VirtualEnd(ssrc: 1, seed: seed, sender, receiver, reporter)
        self.second = VirtualEnd(ssrc: 2, seed: seed, sender, receiver, reporter)
    }

    package mutating func run(seconds: Double) {
        let end = self.now + Int64(seconds * 1e9)
        while true {
            let next = min(self.first.findNextWake(), self.second.findNextWake(), self.flights.last?.arrival ?? .max)
            guard next <= end else { break }
            self.now = max(self.now, next)
            self.deliver()
            if self.first.wake(at: self.now) { self.leave(toSecond: true) }
            if self.second.wake(at: self.now) { self.leave(toSecond: false) }
        }
        self.now = end
    }

    private mutating func leave(toSecond: Bool) {
        let outbox = toSecond ? self.first.outbox : self.second.outbox
        for packet in outbox.packets {
            self.packetsSent += 1
            let about = Packet(
                time: Double(self.now) / 1e6, count: packet.range.count, kind: packet.kind, toSecond: toSecond)
            guard let delay = self.line(about, &self.random) else { continue }
            var bytes = self.spare.popLast() ?? []
            bytes.removeAll(keepingCapacity: true)
            outbox.withBytes(of: packet) { source in
                source.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
            }
            self.fly(
                Flight(
                    arrival: self.now + max(0, Int64(delay * 1e6)), bytes: bytes, kind: packet.kind,
                    toSecond: toSecond))
        }
        if toSecond { self.first.outbox.removeAll() } else { self.second.outbox.removeAll() }
    }

    private mutating func fly(_ flight: Flight) {
        var place = self.flights.count
        while place > 0, self.flights[place - 1].arrival <= flight.arrival { place -= 1 }
        self.flights.insert(flight, at: place)
    }

    private mutating func deliver() {
        while let flight = self.flights.last, flight.arrival <= self.now {
            self.flights.removeLast()
            if flight.toSecond {
                self.second.take(flight.bytes, flight.kind, at: self.now)
            } else {
                self.first.take(flight.bytes, flight.kind, at: self.now)
            }
            self.spare.append(flight.bytes)
        }
    }
}

/// The lines that calls go over. All times in milliseconds.
package enum VirtualLine {
    /// - Parameters:
    ///   - jitter: how far delays are spread around their mean, for the most part.
    ///   - loss: of all packets.
    package static func even(_ delay: Double, jitter: Double = 0, loss: Double = 0) -> VirtualCall.Line {
        { _, random in
            guard loss == 0 || Double.random(in: 0..<1, using: &random) >= loss else { return nil }
            return jitter == 0 ? delay : delay + random.normal(jitter)
        }
    }

    /// Loses packets one after the other (Gilbert): so many of all, so many at once on the whole.
    package static func bursts(_ delay: Double, jitter: Double, loss: Double, length: Double) -> VirtualCall.Line {
        var isBad = [false, false]
        return { packet, random in
            let way = packet.toSecond ? 1 : 0
            let change = Double.random(in: 0..<1, using: &random)
            isBad[way] = isBad[way] ? change >= 1 / length : change < loss / (1 - loss) / length
            return isBad[way] ? nil : delay + random.normal(jitter)
        }
    }

    /// So much goes through and no more; the rest waits in line, and what would wait too long gets lost.
    package static func narrow(_ delay: Double, bitRate: @escaping (Double) -> Double, longest: Double)
        -> VirtualCall.Line
    {
        var free = [0.0, 0.0]
        return { packet, _ in
            let way = packet.toSecond ? 1 : 0
            let start = max(free[way], packet.time)
            guard start - packet.time <= longest else { return nil }
            // What UDP, IP and SRTP add travels too.
            free[way] = start + Double(packet.count + 44) * 8000 / bitRate(packet.time)
            return free[way] - packet.time + delay
        }
    }
}

extension SeededRandom {
    /// Around zero, as far as `deviation` for the most part (Irwin–Hall).
    package mutating func normal(_ deviation: Double) -> Double {
        deviation * ((0..<12).reduce(0.0) { sum, _ in sum + .random(in: 0...1, using: &self) } - 6)
    }
}
