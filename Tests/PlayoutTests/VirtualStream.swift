import Playout
import TestSupport
import Vocabulary

/// Sound whose every sample is known: a tone that goes on from where its packet is in the stream.
struct ToneDecoder: SoundDecoder {
    static let frame = 960
    private static let table = TestSound.sine(400, seconds: 0.25, rate: 48_000)
    private var last = 0

    static func packet(_ index: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) } }

    static func index(_ packet: Span<UInt8>) -> Int { (0..<5).reduce(0) { $0 | Int(packet[$1]) << ($1 * 8) } }

    static func tone(_ sample: Int) -> Float {
        // 100 whole periods in 0.25 s, so that nothing is lost in the rounding of large arguments.
        Self.table[((sample % 12_000) + 12_000) % 12_000]
    }

    private mutating func play(_ start: Int, _ count: Int, into sound: inout MutableSpan<Float>) {
        for index in 0..<count { sound[index] = Self.tone(start + index) }
        self.last = start + count
    }

    mutating func decode(_ packet: Span<UInt8>, into sound: inout MutableSpan<Float>) -> Int? {
        guard packet.count == 8, sound.count >= Self.frame else { return nil }
        self.play(Self.index(packet) * Self.frame, Self.frame, into: &sound)
        return Self.frame
    }

    mutating func conceal(_ count: Int, into sound: inout MutableSpan<Float>) {
        self.play(self.last, count, into: &sound)
    }

    mutating func recover(_ count: Int, from next: Span<UInt8>, into sound: inout MutableSpan<Float>) -> Bool {
        let start = next.count == 8 ? Self.index(next) * Self.frame - count : self.last
        self.play(start, count, into: &sound)
        return next.count == 8
    }
}

/// A sender of a packet each 20 ms, a network and a listener, in virtual time.
struct VirtualStream {
    var buffer: JitterBuffer<ToneDecoder>
    /// How long each packet is on the way, in milliseconds; nil when it gets lost.
    var network: (_ index: Int, _ random: inout SeededRandom) -> Double?
    /// How many earlier packets travel with each.
    var redundancy = 0
    /// By how many millionths the listener's clock is quicker.
    var drift = 0.0
    var firstTimestamp: UInt32 = 4_294_960_000
    private(set) var sound: [Float] = []
    /// The mean wait of each second, in milliseconds.
    private(set) var delays: [Double] = []
    private var random: SeededRandom
    private var inFlight: [(arrival: Double, index: Int)] = []
    private var sent = 0
    private var pulled = 0

    init(seed: UInt64, network: @escaping (_ index: Int, _ random: inout SeededRandom) -> Double?) {
        var settings = JitterBuffer<ToneDecoder>.Settings()
        settings.channels = 1
        self.buffer = JitterBuffer(ToneDecoder(), settings: settings)
        self.network = network
        self.random = SeededRandom(seed: seed)
    }

    mutating func run(seconds: Int) {
        for _ in 0..<seconds {
            let before = self.buffer.statistics
            for _ in 0..<100 { self.pull() }
            let after = self.buffer.statistics
            let count = after.decodedSamples - before.decodedSamples
            let waited = (after.bufferDelay - before.bufferDelay) / .milliseconds(1)
            self.delays.append(count == 0 ? 0 : waited / Double(count))
        }
    }

    private mutating func pull() {
        // In milliseconds of the sender's clock.
        let now = Double(self.pulled) * 10 * (1 - self.drift / 1e6) + 3
        while Double(self.sent) * 20 <= now {
            if let delay = self.network(self.sent, &self.random) {
                self.inFlight.append((Double(self.sent) * 20 + delay, self.sent))
            }
            self.sent += 1
        }
        let arrived = self.inFlight.filter { $0.arrival <= now }.sorted { $0.arrival < $1.arrival }
        self.inFlight.removeAll { $0.arrival <= now }
        for packet in arrived { self.insert(packet.index, at: Instant(nanoseconds: Int64(packet.arrival * 1e6))) }
        var output = [Float](repeating: 0, count: 480)
        var span = output.mutableSpan
        self.buffer.pull(into: &span, at: Instant(nanoseconds: Int64(now * 1e6)))
        self.sound += output
        if self.sound.count > 960_000 { self.sound.removeFirst(480_000) }
        self.pulled += 1
    }

    private mutating func insert(_ index: Int, at now: Instant) {
        for back in (0...self.redundancy).reversed() where index - back >= 0 {
            let packet = ToneDecoder.packet(index - back)
            let timestamp = self.firstTimestamp &+ UInt32(truncatingIfNeeded: (index - back) * ToneDecoder.frame)
            self.buffer.insert(
                packet.span, timestamp: timestamp, duration: ToneDecoder.frame, isRedundant: back > 0, at: now)
        }
    }

    /// Of all samples.
    var concealed: Double {
        Double(self.buffer.statistics.concealedSamples) / Double(self.buffer.statistics.emittedSamples)
    }
}

extension SeededRandom {
    /// Around zero, as far as `deviation` for the most part (Irwin–Hall).
    mutating func normal(_ deviation: Double) -> Double {
        deviation * ((0..<12).reduce(0.0) { sum, _ in sum + .random(in: 0...1, using: &self) } - 6)
    }
}
