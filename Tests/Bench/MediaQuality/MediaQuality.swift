import AudioStreams
import MediaStreams
import OpusCodec
import TestSupport
import VirtualCalls

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Runs calls in virtual time over lines of all kinds, and writes what is heard at the other end, and what became of it.
///
///     MediaQuality SPEECH FOLDER SEED    speech as raw 16-bit sound at 48 kHz
@main
enum MediaQuality {
    struct Profile {
        let name: String
        var line: VirtualCall.Line
        var seconds: Double?
        var drift = 0.0
        var isHeard = true
        /// When the way becomes longer, in seconds.
        var step: Double?
    }

    /// Round trips of 100 ms, whose packets come 10 ms earlier or later for the most part.
    static var profiles: [Profile] {
        [
            Profile(name: "clean", line: VirtualLine.even(50)),
            Profile(name: "loss 0 %", line: VirtualLine.even(50, jitter: 10)),
            Profile(name: "loss 5 %", line: VirtualLine.even(50, jitter: 10, loss: 0.05)),
            Profile(name: "loss 10 %", line: VirtualLine.even(50, jitter: 10, loss: 0.1)),
            Profile(name: "loss 20 %", line: VirtualLine.even(50, jitter: 10, loss: 0.2)),
            Profile(name: "loss 30 %", line: VirtualLine.even(50, jitter: 10, loss: 0.3)),
            Profile(
                name: "loss 10 % in bursts of 2.5", line: VirtualLine.bursts(50, jitter: 10, loss: 0.1, length: 2.5)),
            Profile(name: "jitter 20 ms", line: VirtualLine.even(50, jitter: 20)),
            Profile(name: "jitter 50 ms", line: VirtualLine.even(150, jitter: 50)),
            Profile(name: "jitter 100 ms", line: VirtualLine.even(300, jitter: 100)),
            Profile(
                name: "200 ms longer after 30 s",
                line: { packet, random in (packet.time < 30_000 ? 50 : 250) + random.normal(10) }, seconds: 60, step: 30
            ),
            Profile(
                name: "clock +300 ppm, an hour", line: VirtualLine.even(50, jitter: 2), seconds: 3600, drift: 300,
                isHeard: false),
            Profile(
                name: "clock -300 ppm, an hour", line: VirtualLine.even(50, jitter: 2), seconds: 3600, drift: -300,
                isHeard: false),
        ]
    }

    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 2, let speech = Sound.read(arguments[1]) { return self.race(speech) }
        guard arguments.count >= 4, let speech = Sound.read(arguments[1]), let seed = UInt64(arguments[3]) else {
            print("usage: MediaQuality SPEECH [FOLDER SEED [PROFILE]]")
            exit(64)
        }
        let wanted = arguments.count > 4 ? arguments[4] : nil
        for (index, profile) in self.profiles.enumerated() {
            // An hour is long: once is enough.
            guard wanted.map({ $0 == profile.name }) ?? (profile.isHeard || seed == 1) else { continue }
            self.run(profile, speech, seed: seed, to: "\(arguments[2])/\(seed)-\(index).raw")
        }
        if seed == 1, wanted == nil { self.race(speech) }
    }

    private static func run(_ profile: Profile, _ speech: [Float], seed: UInt64, to path: String) {
        var call = VirtualCall(seed: seed, line: profile.line)
        call.first.voice = profile.isHeard ? .sound(speech) : .packets(self.encode(speech))
        call.second.isListening = true
        call.second.drift = profile.drift
        call.second.keepsDelays = true
        if profile.isHeard { call.second.keptSound = .max / 2 }
        let seconds = profile.seconds ?? Double(speech.count) / 48_000 + 1
        let start = clock()
        call.run(seconds: seconds)
        let times = seconds * Double(CLOCKS_PER_SEC) / Double(max(1, clock() - start))
        if profile.isHeard { Sound.write(call.second.heard, to: path) }
        print(self.report(profile, call, seconds: seconds, times: times, path: path))
        fflush(nil)
    }

    private static func report(
        _ profile: Profile, _ call: borrowing VirtualCall, seconds: Double, times: Double, path: String
    )
        -> String
    {
        let sent = call.first.sender.statistics
        let heard = call.second.receiver.statistics
        let delays = call.second.delays.map(\.delay).sorted()
        let mean = delays.reduce(0, +) / Double(delays.count)
        var fields = [
            "\"name\": \"\(profile.name)\"", "\"sound\": \(profile.isHeard ? "\"\(path)\"" : "null")",
            "\"seconds\": \(seconds)", "\"lost\": \(Double(heard.packetsLost) / Double(sent.packetsSent))",
            "\"concealed\": \(Double(heard.concealedSamples) / Double(heard.totalSamplesReceived))",
            "\"recovered\": \(Double(heard.recoveredSamples) / Double(heard.totalSamplesReceived))",
            "\"removed\": \(Double(heard.removedSamplesForAcceleration) / Double(heard.totalSamplesReceived))",
            "\"inserted\": \(Double(heard.insertedSamplesForDeceleration) / Double(heard.totalSamplesReceived))",
            "\"mean\": \(mean)", "\"p95\": \(delays[delays.count * 95 / 100])",
            "\"min\": \(delays[delays.count / 1000])", "\"max\": \(delays[delays.count - 1 - delays.count / 1000])",
            "\"payload\": \(Double(sent.bytesSent) * 8 / seconds / 1000)",
            "\"rtp\": \(Double(sent.bytesSent + sent.headerBytesSent) * 8 / seconds / 1000)",
            "\"times\": \(times)", "\"redundancy\": \(sent.redundancy)",
            "\"estimate\": \(call.first.estimates.last?.bitRate ?? 0)",
        ]
        if let step = profile.step { fields.append("\"settled\": \(self.settled(call.second.delays, after: step))") }
        return "{\(fields.joined(separator: ", "))}"
    }

    /// How many seconds after the step the wait was 70 ms again and stayed so, second by second on the whole.
    private static func settled(_ delays: [(time: Double, delay: Double)], after step: Double) -> Double {
        var last = 0.0
        for second in 0..<25 {
            let begin = (step + Double(second)) * 1000
            let piece = delays.filter { (begin..<(begin + 1000)).contains($0.time) }
            let mean = piece.reduce(0) { $0 + $1.delay } / Double(max(1, piece.count))
            if mean > 70 { last = Double(second + 1) }
        }
        return last
    }

    /// How much quicker than life a call is in which nobody encodes nor decodes.
    private static func race(_ speech: [Float]) {
        var call = VirtualCall(
            seed: 3,
            receiver: {
                $0.lendsPayloads = true
                $0.isPlayed = false
            }, line: VirtualLine.even(50, jitter: 10))
        call.first.voice = .packets(self.encode(speech))
        call.second.voice = .echo
        call.run(seconds: 10)
        let (start, allocated, sent) = (clock(), self.allocations(), call.packetsSent)
        call.run(seconds: 600)
        let spent = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        let each = Double(self.allocations() - allocated) / Double(call.packetsSent - sent)
        print("{\"name\": \"race\", \"times\": \(600 / spent), \"allocations\": \(each)}")
    }

    /// How many allocations there were so far; 0 when nobody counts.
    private static let allocations: @convention(c) () -> UInt = {
        guard let symbol = dlsym(nil, "parley_allocations") else { return { 0 } }
        return unsafeBitCast(symbol, to: (@convention(c) () -> UInt).self)
    }()

    private static func encode(_ speech: [Float]) -> [[UInt8]] {
        guard let encoder = try? OpusEncoder(rate: 48_000, channels: 1) else { return [] }
        var packet: [UInt8] = []
        return stride(from: 0, to: min(speech.count, 480_000) - 959, by: 960).compactMap { start in
            try? encoder.encode(speech.span.extracting(start..<(start + 960)), into: &packet)
            return packet
        }
    }
}

enum Sound {
    /// Whole pieces of 10 ms.
    static func read(_ path: String) -> [Float]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var sound: [Float] = []
        var piece = [Int16](repeating: 0, count: 65_536)
        while case let count = fread(&piece, 2, piece.count, file), count > 0 {
            sound += piece[..<count].map { Float(Int16(littleEndian: $0)) / 32_768 }
        }
        return Array(sound.prefix(sound.count / 960 * 960))
    }

    static func write(_ sound: [Float], to path: String) {
        guard let file = fopen(path, "w") else { return }
        defer { fclose(file) }
        let samples = sound.map { Int16(max(-32_768, min(32_767, ($0 * 32_768).rounded()))).littleEndian }
        fwrite(samples, 2, samples.count, file)
    }
}
