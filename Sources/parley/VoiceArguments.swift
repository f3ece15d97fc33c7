internal import Arguments
internal import AudioFiles
internal import OpusCodec
internal import Voice

/// Bits per second, as in `24k`; here a k is a thousand.
struct BitRate: Hashable, Sendable, ExpressibleByArgument {
    let bitsPerSecond: Int

    init?(argument: String) {
        let isKilo = argument.lowercased().hasSuffix("k")
        guard let number = Double(isKilo ? argument.dropLast() : argument[...]), (0...1e9).contains(number) else {
            return nil
        }
        self.bitsPerSecond = Int((number * (isKilo ? 1000 : 1)).rounded())
    }

    static var valueName: String? { "RATE" }
    static var expectation: String { "a bit rate such as 24k or 16000" }
    var argumentDescription: String { "\(self.bitsPerSecond)" }
}

extension OpusEncoder.Application: ExpressibleByArgument {}

extension RawFormat: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "FORMAT" }
    package static var expectation: String { "a format such as s16le:16000:1" }
}

/// The messengers we know.
enum VoicePreset: String, CaseIterable, Sendable, ExpressibleByArgument {
    case `default`, telegram, whatsapp, discord, matrix

    var settings: VoiceSettings { VoiceSettings.presets[self.rawValue] ?? VoiceSettings() }
}

/// How samples are written.
enum SampleForm: String, CaseIterable, Sendable, ExpressibleByArgument {
    case s16, s24, f32

    var encoding: SampleEncoding {
        switch self {
        case .s16: .signed16
        case .s24: .signed24
        case .f32: .float32
        }
    }
}
