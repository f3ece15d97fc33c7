import Arguments
import JSON
import Sound

/// `parley devices`
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "devices",
        abstract: "List microphones and loudspeakers.",
        discussion: """
            Lists what 'parley call' may speak and listen with, as the sound server (PulseAudio or PipeWire) knows it. A \
            star marks what is used where --input and --output name nothing else.
            """,
        examples: [
            .init("parley devices", "Then: parley call @alice --input headset --output headset."),
            .init("parley devices --json | jq .name", "For programs."),
        ],
        exitCodes: [
            .init(.success, "Success."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "There is no sound server."),
        ]
    )

    @Flag(help: "Print devices as JSON, one object per line.")
    var json = false

    mutating func run() throws -> ExitCode {
        let list: SoundDeviceList
        do throws(SoundFailure) {
            list = try PulseDevices.read()
        } catch {
            throw CommandFailure("\(error)", exitCode: .unavailable)
        }
        for direction in SoundDevice.Direction.allCases {
            if self.json { self.write(list, direction) } else { self.show(list, direction) }
        }
        return .success
    }

    private func write(_ list: SoundDeviceList, _ direction: SoundDevice.Direction) {
        let preset = list.preset(direction)
        for device in list.choice(of: direction) {
            Terminal.print(
                JSONWriter.line { json in
                    json.field("direction", device.direction.rawValue)
                    json.field("name", device.name)
                    json.field("title", device.title)
                    json.field("default", device == preset)
                })
        }
    }

    private func show(_ list: SoundDeviceList, _ direction: SoundDevice.Direction) {
        let (devices, preset) = (list.choice(of: direction), list.preset(direction))
        let head = direction == .input ? "Microphones (--input)" : "Loudspeakers (--output)"
        Terminal.print(devices.isEmpty ? "\(head): none" : "\(head):")
        let rows = devices.map { [$0 == preset ? "*" : " ", $0.title, $0.name] }
        for row in AdminTable.aligned(rows) { Terminal.print("  \(row)") }
    }
}
