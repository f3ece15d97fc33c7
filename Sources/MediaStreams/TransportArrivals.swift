internal import Bytes
internal import RTP
internal import Vocabulary

/// When the packets of a transport arrived, until the other side was told of them.
struct TransportArrivals: Sendable {
    /// No sender sends more between two feedbacks; what is further apart is a transport that began anew.
    private static let maximumSpan = 2000

    private var numbers = Unwrapper<UInt16>()
    /// The lowest that is not told of yet; those before it are told of again only when they arrive late.
    private var first: Int64?
    /// In ticks of feedback, from `first` on.
    private var ticks: [Int64?] = []
    private var feedbackNumber: UInt8 = 0

    var isEmpty: Bool { self.ticks.isEmpty }

    mutating func heard(_ sequence: UInt16, at now: Instant) {
        let number = self.numbers.unwrap(sequence)
        let tick = now.nanoseconds / (1_000_000_000 / TransportWideFeedback.ticksPerSecond)
        let first = self.first ?? number
        guard abs(number - first) < Int64(Self.maximumSpan) else { return self.restart(at: number, tick) }
        if number < first {
            self.ticks.insert(contentsOf: repeatElement(nil, count: Int(first - number)), at: 0)
        }
        self.first = min(first, number)
        let index = Int(number - min(first, number))
        while self.ticks.count <= index { self.ticks.append(nil) }
        self.ticks[index] = self.ticks[index] ?? tick
    }

    private mutating func restart(at number: Int64, _ tick: Int64) {
        self.first = number
        self.ticks.removeAll(keepingCapacity: true)
        self.ticks.append(tick)
    }

    mutating func write(from ssrc: UInt32, about media: UInt32, to writer: inout ByteWriter) {
        guard let first = self.first else { return }
        var told = 0
        while told < self.ticks.count {
            let sequence = UInt16(truncatingIfNeeded: first + Int64(told))
            let count = RTCPWriter.transportWide(
                from: ssrc, about: media, first: sequence, arrivals: self.ticks.span.extracting(droppingFirst: told),
                number: self.feedbackNumber, to: &writer)
            guard count > 0 else { break }
            self.feedbackNumber &+= 1
            told += count
        }
        self.first = first + Int64(self.ticks.count)
        self.ticks.removeAll(keepingCapacity: true)
    }
}
