import Arguments
import Handset
import System
import Peer
import Reactor

/// `parley peer`
struct PeerCommand: ParsableCommand {
    enum Role: String, CaseIterable, ExpressibleByArgument {
        case offer, answer

        static var valueName: String? { "offer|answer" }
    }

    static let configuration = CommandConfiguration(
        name: "peer",
        abstract: "One end of a call that is signalled by lines of JSON.",
        discussion: """
            For scripts and test rigs: whatever carries lines can carry the signalling. In both directions, one JSON object per line: \
            {"t":"sdp","type":"offer","sdp":"…"} and {"t":"cand","candidate":"…","mid":"0","idx":0}. Also printed: \
            {"t":"state","v":"connected","ms":31,"srtp":"SRTP_AEAD_AES_128_GCM"} with the milliseconds since this side had both \
            descriptions, {"t":"error","server":"stun:…","code":701,"error":"no answer"} for a server that is of no use, and \
            {"t":"media","n":50,"ms":1052} with the packets heard. Also read: {"t":"quit"}. Anything meant for people \
            goes to the error stream.
            """,
        examples: [.init("parley peer offer --play tone:440", "Begin a connection.")],
        exitCodes: [
            .init(.success, "It was told to quit, or its input ended."),
            .init(.usage, "The command line is wrong."),
            .init(.noInput, "A file cannot be read."),
            .init(.cannotCreate, "The recording cannot be written."),
        ]
    )

    @Argument(help: "Side of the connection; 'offer' begins.")
    var role: Role

    @OptionGroup var sound: SoundOptions
    @OptionGroup var transport: TransportOptions
    @OptionGroup var overwriting: OverwritingOptions

    func validate() throws(ValidationError) {
        guard self.sound.play != .pipe, self.sound.record != "-" else {
            throw ValidationError("--play and --record: standard input and output carry the signals")
        }
    }

    mutating func run() throws -> ExitCode {
        var settings = PeerSettings()
        settings.sound = self.sound.settings
        settings.ice = self.transport.settings
        let servers = try self.transport.servers() ?? []
        let recording = self.sound.recording
        try self.overwriting.check(recording.heard, recording.said, recording.mixed, self.transport.pcap)
        let feed = try self.sound.play?.open(channels: settings.sound.channels)
        let sinks = try recording.open()
        let capture = try CaptureFile.open(self.transport.pcap)
        let group = try EventLoopGroup.forCommand()
        defer { group.shutDown() }
        let done = Gate()
        let peer = PipedPeer(
            isOffering: self.role == .offer, settings, servers, feed: feed, sinks: sinks.heard,
            ownSinks: sinks.said, capture: capture
        ) {
            done.open()
        }
        let loop = group.loops[0]
        loop.execute { peer.start(on: $0) }
        let reader = LineReaderThread { line in
            loop.execute { _ in peer.heard(line) }
        } ended: {
            loop.execute { _ in peer.quit() }
        }
        reader.start()
        done.wait()
        return .success
    }
}
