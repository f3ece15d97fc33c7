/// Why there is no sound.
package enum SoundFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The library of the sound server is not installed.
    case noLibrary
    /// No sound server answers, for that reason.
    case noServer(String)

    package var description: String {
        switch self {
        case .noLibrary: "there is no sound here: libpulse is not installed"
        case .noServer(let reason): "no sound server answers: \(reason)"
        }
    }
}
