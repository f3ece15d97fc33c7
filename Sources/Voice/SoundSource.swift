package import AudioFiles

/// Sound that is read once, from front to back.
package protocol SoundSource: AnyObject {
    var format: SoundFormat { get }
    /// What the sound comes from, in words: `WAV`, `Ogg Opus`.
    var kind: String { get }
    /// The places in the file that could not be read and were left out or concealed.
    var damage: [Int] { get }
    /// Reads the next piece over `samples`, all channels one after the other for each moment. Empty
    /// when the sound is over.
    func read(into samples: inout [Float]) throws
}

extension SoundSource {
    package var damage: [Int] { [] }
}

/// How many samples of each channel a source hands out at once: small enough to stay in the cache.
let pieceFrames = 4096
