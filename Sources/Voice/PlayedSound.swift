import AudioFiles
package import SoundFiles

/// A recording of any kind as a call takes it: 48 kHz, one channel or two.
package enum PlayedSound {
    /// - Parameter isStereo: there are two channels, whatever the recording has.
    package static func open(_ file: InputFile, isStereo: Bool = false) throws(VoiceFailure) -> any SoundSource {
        do {
            let source: any SoundSource =
                switch try SoundOpener.open(file) {
                case .opus(let file): try OpusSource(file, rate: OpusPacket.clockRate)
                case .sound(let source): source
                }
            let keepsBoth = isStereo && source.format.channels == 2
            let shaped = try ShapedSource(source, rate: OpusPacket.clockRate, isMono: !keepsBoth)
            return isStereo && !keepsBoth ? DoubledSource(shaped) : shaped
        } catch {
            throw VoiceFailure(error)
        }
    }
}
