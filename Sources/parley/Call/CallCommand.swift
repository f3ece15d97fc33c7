import Arguments
import Calling
import Client
import System
import Pathways
import Peer
import Reactor
import Vocabulary

/// `parley call`
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "call",
        abstract: "Call a person, or join a room.",
        discussion: """
            Calls a browser, another 'parley' or any other WebRTC client, with the microphone and the loudspeaker of this \
            machine. With --play the other side hears a recording instead, and --record keeps what it says; with - both \
            are samples (16 bits, little-endian, 48 kHz), so that a program can talk. With --play or --record a \
            device is used only when --input or --output names it. A terminal shows the state of the call, the key m mutes \
            and unmutes the microphone, and a report is printed at the end.
            """,
        examples: [
            .init("parley call @alice", "Talk. 'parley devices' lists microphones and loudspeakers."),
            .init("parley call @echo --play tone:440 --expect-audio --duration 5s", "Test with an echo."),
            .init("parley call @alice --play hello.wav --record answer.ogg", "Play a message and record the answer."),
            .init("bot | parley call @alice --play - --record - | ears", "For programs that talk and listen."),
        ],
        exitCodes: CallEnd.exitCodes
    )

    @Argument(help: "Person or room.")
    var target: CallTarget

    @OptionGroup var client: ClientOptions
    @OptionGroup var sound: SoundOptions
    @OptionGroup var devices: DeviceOptions
    @OptionGroup var transport: TransportOptions
    @OptionGroup var roomKey: RoomKeyOptions
    @OptionGroup var overwriting: OverwritingOptions

    @Option(help: "Hang up after this time; default: when the played recording has ended.")
    var duration: Duration?

    @Option(help: ArgumentHelp("Telephone keys (DTMF) to send once the call is answered.", valueName: "KEYS"))
    var dtmf = ""

    @Flag(help: "Fail with exit code 15 when only silence is heard.")
    var expectAudio = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws(ValidationError) {
        guard self.dtmf.allSatisfy({ "0123456789*#ABCD".contains($0) }) else {
            throw ValidationError("--dtmf: keys are 0 to 9, *, #, A, B, C and D")
        }
        if self.sound.play != nil, self.devices.input != nil {
            throw ValidationError("--play and --input cannot be combined")
        }
        guard case .room = self.target else { return }
        guard self.sound.play != .pipe, self.sound.record != "-", self.sound.recordSent == nil, self.dtmf.isEmpty else {
            throw ValidationError(
                "--play -, --record -, --record-sent and --dtmf are for calls with one person, not for rooms")
        }
    }

    private func plan() throws(CommandFailure) -> CallPlan {
        var plan = CallPlan()
        plan.settings.sound = self.sound.settings
        plan.settings.ice = self.transport.settings
        plan.play = self.sound.play
        plan.recording = self.sound.recording
        plan.keys = self.dtmf
        plan.duration = self.duration
        plan.endsWithSound = self.duration == nil && self.sound.play?.isEndless == false
        plan.expectsAudio = self.expectAudio
        plan.isJSON = self.json
        plan.servers = try self.transport.servers()
        plan.capture = self.transport.pcap
        plan.roomKey = self.roomKey.key
        return plan
    }

    mutating func run() throws -> ExitCode {
        var plan = try self.plan()
        let target = self.target
        if self.sound.record == "-" { try OverwritingOptions.refuseTerminal("--record -") }
        // In a room each member has a file of their own, beside this name.
        try self.overwriting.check(plan.recording.heard, plan.recording.said, plan.recording.mixed, plan.capture)
        // Files and pipes are for programs: beside them nothing is opened that was not asked for.
        let isTalk = self.sound.play == nil && self.sound.record == nil
        (plan.devices, plan.deviceRemark) = try self.devices.plan(isPreset: isTalk)
        let settled = plan
        let outcome = Locked(ExitCode.failure)
        try self.client.run { client, loop throws(CommandFailure) in
            let report = try await CallConsole(client, on: loop).place(target, settled)
            report.print(asJSON: settled.isJSON, besideSamples: settled.recording.heard == "-")
            outcome.withLock { $0 = report.end.exitCode }
        }
        return outcome.withLock(\.self)
    }
}
