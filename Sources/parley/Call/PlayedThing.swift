import Arguments
import Handset
import Voice

/// What is said in a call.
enum PlayedThing: Hashable, Sendable, ExpressibleByArgument {
    case tone(Double)
    case pipe
    case file(String)

    init?(argument: String) {
        if argument == "-" {
            self = .pipe
        } else if argument.hasPrefix("tone:") {
            guard let hertz = Double(argument.dropFirst(5)), (20...20_000).contains(hertz) else { return nil }
            self = .tone(hertz)
        } else {
            guard !argument.isEmpty else { return nil }
            self = .file(argument)
        }
    }

    static var valueName: String? { "FILE|tone:HZ|-" }
    static var expectation: String {
        "a recording, a tone such as tone:440 (20 to 20000), or - for samples on standard input"
    }
    var argumentDescription: String {
        switch self {
        case .tone(let hertz): "tone:\(hertz)"
        case .pipe: "-"
        case .file(let path): path
        }
    }

    /// A tone goes on for ever, and a pipe for as long as its writer writes.
    var isEndless: Bool {
        if case .tone = self { return true }
        return false
    }

    func open(channels: Int = 1) throws(CommandFailure) -> any SoundFeed {
        switch self {
        case .tone(let hertz): return ToneFeed(hertz: hertz, channels: channels)
        case .pipe: return PipeFeed(channels: channels)
        case .file(let path):
            do throws(VoiceFailure) {
                return try FileFeed(path: path, isStereo: channels == 2)
            } catch {
                throw CommandFailure("\(path): \(error)", exitCode: ExitCode(rawValue: error.kind.rawValue))
            }
        }
    }
}
