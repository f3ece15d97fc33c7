import AudioFiles
package import SoundFiles

/// A recording of any kind as a call takes it: 48 kHz, one channel.
package enum PlayedSound {
    package static func open(_ file: InputFile) throws(VoiceFailure) -> any SoundSource {
        do {
            let source: any SoundSource =
                switch try SoundOpener.open(file) {
                case .opus(let file): try OpusSource(file, rate: OpusPacket.clockRate)
                case .sound(let source): source
                }
            return try ShapedSource(source, rate: OpusPacket.clockRate, isMono: true)
        } catch {
            throw VoiceFailure(error)
        }
    }
}
