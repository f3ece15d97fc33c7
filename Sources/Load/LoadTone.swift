internal import OpusCodec
internal import System

/// What is said in every call: one second of a tone, encoded once for all of them.
struct LoadTone {
    private let packets: [[UInt8]]

    /// In samples at 48 kHz.
    static let packetSamples = 960
    private static let hertz = 400.0

    init() throws(OpusError) {
        var settings = OpusEncoder.Settings()
        settings.bitRate = 32_000
        let encoder = try OpusEncoder(rate: 48_000, channels: 1, settings: settings)
        var packets: [[UInt8]] = []
        for packet in 0..<(48_000 / Self.packetSamples) {
            let sound = (0..<Self.packetSamples).map { sample in
                let moment = Double(packet * Self.packetSamples + sample) / 48_000
                return Float(0.3 * Math.sine(2 * Double.pi * Self.hertz * moment))
            }
            var bytes: [UInt8] = []
            try encoder.encode(sound.span, into: &bytes)
            packets.append(bytes)
        }
        self.packets = packets
    }

    /// What comes after so many others.
    func packet(_ number: Int) -> [UInt8] { self.packets[number % self.packets.count] }
}
