import Arguments
import Handset
import Peer
import System

/// What is said, and what becomes of what is heard.
struct SoundOptions: ParsableArguments {
    @Option(
        help: """
            Audio to send: a recording, a tone, or - for samples on standard input (16 bits, little-endian, 48 kHz, one \
            channel, or two interleaved with --stereo).
            """, completion: .file)
    var play: PlayedThing?

    @Option(
        help: ArgumentHelp(
            "Record what is received: packets as they came in FILE.ogg or .opus, samples in FILE.wav, samples on standard output with -.",
            valueName: "FILE|-"),
        completion: .file)
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Record what is sent as well, as samples; both files begin with the call.", valueName: "FILE.wav"),
        completion: .file)
    var recordSent: String?

    @Option(
        help: ArgumentHelp(
            "Record both sides, or everybody in a room, mixed into one file of samples.", valueName: "FILE.wav"),
        completion: .file)
    var recordMixed: String?

    @Flag(help: "Send and receive two channels where the other side supports it.")
    var stereo = false

    @Option(help: "Audio in each packet sent: 10ms, 20ms, 40ms or 60ms.")
    var ptime = Duration.milliseconds(20)

    @Option(help: ArgumentHelp("Bit rate of the audio that is sent.", valueName: "BITS"))
    var bitrate = 32_000

    func validate() throws(ValidationError) {
        guard [10, 20, 40, 60].contains(where: { self.ptime == .milliseconds($0) }) else {
            throw ValidationError("--ptime: packets of Opus hold 10ms, 20ms, 40ms or 60ms")
        }
        if let path = self.record, path != "-", !Self.isKept(path) {
            throw ValidationError(
                "--record: '\(path)' says nothing of how sound is kept; end it in .ogg or .opus for packets, in .wav for samples"
            )
        }
        for (name, path) in [("--record-sent", self.recordSent), ("--record-mixed", self.recordMixed)] {
            guard let path, !path.lowercased().hasSuffix(".wav") else { continue }
            throw ValidationError("\(name): samples are kept in a file that ends in .wav")
        }
        guard (6_000...510_000).contains(self.bitrate) else {
            throw ValidationError("--bitrate: Opus takes 6000 to 510000")
        }
    }

    private static func isKept(_ path: String) -> Bool {
        let isDevice = FileStatus(of: path)?.kind == .other
        return isDevice || [".ogg", ".opus", ".wav"].contains { path.lowercased().hasSuffix($0) }
    }

    var recording: RecordingPlan {
        RecordingPlan(
            heard: self.record, said: self.recordSent, mixed: self.recordMixed, channels: self.settings.channels)
    }

    var settings: SoundSettings {
        var settings = SoundSettings()
        settings.isStereo = self.stereo
        settings.packetDuration = Int(self.ptime / .milliseconds(1))
        settings.bitRate = self.bitrate
        settings.lendsPayloads = self.record != nil && self.record != "-"
        return settings
    }
}
