import System
import Arguments
import Client
import Peer
import Reactor
import Vocabulary

/// `parley answer`
struct AnswerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "answer",
        abstract: "Answer every call: with an echo, an announcement or a recorder.",
        discussion: """
            Waits for calls and answers them, many at a time, until it is interrupted. With --echo callers hear \
            themselves, without a codec in between, and with --video they see themselves; with --play they hear a \
            recording, and then the call ends; with --record each call is recorded to a file. With --talk you talk \
            to one caller at a time; on a terminal you are asked about each (y accepts, n declines, h hangs up, m \
            mutes), elsewhere calls are accepted at once.
            """,
        examples: [
            .init("parley answer --as echo --echo", "Then: parley call @echo --play tone:440 --expect-audio."),
            .init("parley answer --as mirror --echo --video", "Browsers hear and see themselves."),
            .init("parley answer --as news --play today.opus", "An announcement."),
            .init("parley answer --as alice --talk", "A telephone."),
            .init("parley answer --as box --play beep.wav --record messages", "An answering machine."),
        ],
        exitCodes: [
            .init(.success, "It was stopped by Control-C or SIGTERM."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "A file cannot be read."), .init(.unavailable, "No server answers."),
            .init(.failure, "The server refused."),
            .init(.cannotCreate, "The directory for recordings cannot be created."),
        ]
    )

    @OptionGroup var client: ClientOptions
    @OptionGroup var devices: DeviceOptions
    @OptionGroup var transport: TransportOptions
    @OptionGroup var roomKey: RoomKeyOptions
    @OptionGroup var overwriting: OverwritingOptions
    @OptionGroup var log: LogOptions

    @Flag(help: "Callers hear themselves.")
    var echo = false

    @Flag(help: "Decode what is echoed and encode it again, as a conference would.")
    var decode = false

    @Flag(
        help: """
            Send offered video (VP8 or H.264) back unchanged. Without this option video is rejected and calls have \
            sound only, as recordings always do.
            """)
    var video = false

    @Option(help: "What callers hear: a recording, or a tone such as tone:440.", completion: .file)
    var play: PlayedThing?

    @Flag(help: "Talk to callers with the microphone and the loudspeaker of this machine, to one at a time.")
    var talk = false

    @Option(
        help: ArgumentHelp("Record calls into this directory, a file for each.", valueName: "DIR"),
        completion: .directory)
    var record: String?

    @Option(
        help:
            "Remove recordings from that directory that are older, whenever a new one begins; other files stay. Default: keep all."
    )
    var recordKeep: Duration?

    @Option(help: ArgumentHelp("Join a room instead of waiting for calls.", valueName: "ROOM"))
    var room: String?

    @Option(
        help: ArgumentHelp(
            "Take calls without a signalling server: POST /offer with {sdp,type} is answered with {sdp,type}.",
            valueName: "ADDR:PORT"))
    var http: SocketAddress?

    @Option(
        help: ArgumentHelp(
            "Maximum number of calls over --http from one client prefix; default: 100, unlimited from this machine.",
            valueName: "N"))
    var callsPerAddress: Int?

    @Flag(
        help:
            "Accept --http offers from the network, although nothing but the call is encrypted and nobody has to sign in."
    )
    var plainHTTP = false

    @Flag(
        help:
            "Accept connections over TCP as well, for callers whose networks block UDP; two file descriptors for each call."
    )
    var tcp = false

    @Flag(help: "Print events as JSON, one object per line.")
    var json = false

    func validate() throws(ValidationError) {
        if self.echo, self.play != nil { throw ValidationError("--echo and --play cannot be combined") }
        if self.decode, !self.echo { throw ValidationError("--decode needs --echo") }
        if self.video, !self.echo { throw ValidationError("--video needs --echo") }
        if self.play == .pipe { throw ValidationError("--play - is for one call; parley answer takes many") }
        if let life = self.recordKeep {
            guard self.record != nil, self.room == nil else {
                throw ValidationError("--record-keep needs --record DIR, and calls")
            }
            guard life >= .seconds(1) else { throw ValidationError("--record-keep: at least a second") }
        }
        if self.talk, self.echo || self.play != nil || self.http != nil || self.room != nil {
            throw ValidationError("--talk cannot be combined with --echo, --play, --http or --room")
        }
        if self.devices.isNamed, !self.talk { throw ValidationError("--input, --output and --mute need --talk") }
        if self.http != nil, self.room != nil || self.client.alias != nil || self.client.token != nil {
            throw ValidationError("--http uses no server: leave --room, --as and --token out")
        }
        try self.validateExposure()
        if let room = self.room, RoomName(room) == nil {
            throw ValidationError("--room: '\(room)' cannot be a room's name")
        }
    }

    private func validateExposure() throws(ValidationError) {
        if let calls = self.callsPerAddress, !(1...1_000).contains(calls) {
            throw ValidationError("--calls-per-address: \(calls) is not between 1 and 1000")
        }
        guard let http = self.http, !http.ip.isLoopback, !self.plainHTTP else { return }
        throw ValidationError(
            """
            --http \(http) is reached from the network, and whoever reaches it may call: nobody is asked who they are, and \
            offers pass in clear text; listen on 127.0.0.1 behind a proxy that does TLS and lets in whom it knows, or say \
            --plain-http
            """)
    }

    private func plan() throws(CommandFailure) -> CallPlan {
        var plan = CallPlan()
        plan.settings.ice = self.transport.settings
        plan.settings.sound.echoes = self.echo && !self.decode
        plan.settings.sound.isPlayed = self.echo && self.decode || self.talk
        if self.video { plan.settings.video = .echo }
        plan.echoesDecoded = self.echo && self.decode
        plan.settings.sound.lendsPayloads = self.record != nil
        plan.play = self.play
        plan.endsWithSound = self.play?.isEndless == false && self.record == nil
        plan.takesConnections = self.tcp
        plan.isJSON = self.json
        plan.servers = try self.transport.servers()
        plan.capture = self.transport.pcap
        plan.roomKey = self.roomKey.key
        return plan
    }

    mutating func run() throws -> ExitCode {
        var plan = try self.plan()
        // A mistake in the file is better said now than to the first caller.
        _ = try self.play?.open()
        if let folder = self.record { try Self.make(folder) }
        let (folder, life, room) = (self.record, self.recordKeep, self.room.flatMap { RoomName($0) })
        plan.recording.heard = room == nil ? nil : folder.map { "\($0)/room.ogg" }
        try self.overwriting.check(plan.recording.heard, plan.capture)
        if self.talk {
            let (devices, remark) = try self.devices.plan(isPreset: true)
            guard devices != nil else {
                throw CommandFailure("--talk needs a microphone or a loudspeaker", exitCode: .unavailable)
            }
            if let remark { Terminal.complain(remark) }
            plan.devices = devices
        }
        let settled = plan
        if let http = self.http {
            try OfferServer(
                address: http, plan: settled, folder: folder, journal: self.log.journal,
                maximumCallsPerAddress: self.callsPerAddress
            ).run()
            return .success
        }
        try self.client.run { client, loop throws(CommandFailure) in
            let console = CallConsole(client, on: loop)
            if let room {
                _ = try await console.carryOut(RoomRun(console.frame(settled), in: room))
            } else {
                try await console.carryOut(
                    AnswerRun(
                        console.frame(settled), recordingsIn: folder.map { RecordingFolder(path: $0, life: life) }))
            }
        }
        return .success
    }

    /// The folder may be there already.
    private static func make(_ folder: String) throws(CommandFailure) {
        do throws(SystemError) {
            try FileSystem.makeDirectory(folder, .everybody)
        } catch {
            throw CommandFailure("--record \(folder): \(error.errno)", exitCode: .cannotCreate)
        }
    }
}
