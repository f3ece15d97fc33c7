import AudioFiles
import SoundFiles
import TestSupport

@testable import Voice

/// Recordings made by rule, and what our readers make of files.
enum Recordings {
    static func wav(
        _ mono: [Float], rate: Int, channels: Int = 1, encoding: SampleEncoding = .signed16
    ) -> [UInt8] {
        let format = WAVFormat(sound: SoundFormat(rate: rate, speakers: Speakers(count: channels)), encoding: encoding)
        var sound: [UInt8] = []
        let samples = mono.flatMap { Array(repeating: $0, count: channels) }
        encoding.encode(samples.span, to: &sound)
        return WAVWriter(format: format).header(for: sound.count) + sound
    }

    /// An Ogg Opus file of a sound, made by our encoder.
    static func opus(_ sound: [Float], rate: Int, settings: VoiceSettings = VoiceSettings(), serial: UInt32 = 1) throws
        -> [UInt8]
    {
        var encoder = try VoiceEncoder(rate: rate, inputRate: rate, settings: settings, serial: serial)
        try encoder.append(sound.span)
        try encoder.finish()
        return encoder.output
    }

    /// All the sound of a file, and what its source says.
    static func decode(_ path: String, rate: Int? = nil) throws -> (sound: [Float], source: any SoundSource) {
        let source = try self.open(path, rate: rate)
        var all: [Float] = []
        var piece: [Float] = []
        repeat {
            try source.read(into: &piece)
            all += piece
        } while !piece.isEmpty
        return (all, source)
    }

    /// The rest of a file with Opus in it.
    static func decode(_ path: String, skipping samples: Int, preRoll: Int) throws -> [Float] {
        guard let source = try self.open(path, rate: nil) as? OpusSource else { return [] }
        source.skip(samples, preRoll: preRoll)
        var (all, piece): ([Float], [Float]) = ([], [])
        repeat {
            try source.read(into: &piece)
            all += piece
        } while !piece.isEmpty
        return all
    }

    private static func open(_ path: String, rate: Int?) throws -> any SoundSource {
        switch try SoundOpener.open(try InputFile(path: path)) {
        case .sound(let sound): return sound
        case .opus(let opus): return try OpusSource(opus, rate: rate)
        }
    }

    static func packets(_ file: [UInt8]) throws -> [OpusFilePacket] {
        var reader = OggOpusReader()
        reader.append(file.span)
        reader.finish()
        var packets: [OpusFilePacket] = []
        while let event = try reader.next() {
            if case .packet(let packet) = event { packets.append(packet) }
        }
        return packets
    }

    /// The packets of an Ogg file as a browser would have recorded them.
    static func webM(_ packets: [OpusFilePacket], head: OpusHead) -> [UInt8] {
        var file = self.element([0x1A, 0x45, 0xDF, 0xA3], self.element([0x42, 0x82], Array("webm".utf8)))
        file += [0x18, 0x53, 0x80, 0x67, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let track =
            self.element([0xD7], [1]) + self.element([0x83], [2]) + self.element([0x86], Array("A_OPUS".utf8))
            + self.element([0x63, 0xA2], head.bytes)
        file += self.element([0x16, 0x54, 0xAE, 0x6B], self.element([0xAE], track))
        var time = 0
        for packet in packets {
            file += [0x1F, 0x43, 0xB6, 0x75, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            file += self.element([0xE7], [UInt8(time >> 16 & 255), UInt8(time >> 8 & 255), UInt8(time & 255)])
            file += self.element([0xA3], [0x81, 0, 0, 0x80] + packet.bytes)
            time += packet.duration / 48
        }
        return file
    }

    private static func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
        id + [0x10 | UInt8(content.count >> 24 & 15)]
            + [16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) } + content
    }
}
