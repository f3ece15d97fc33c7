import Arguments
import Sound

/// Which microphone and loudspeaker a call uses, and how.
struct DeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Microphone, by its name or an unambiguous beginning of it ('parley devices' lists them), or default.",
            valueName: "NAME"))
    var input: String?

    @Option(help: ArgumentHelp("Loudspeaker, in the same way.", valueName: "NAME"))
    var output: String?

    @Flag(help: "Begin muted; on a terminal the key m mutes and unmutes.")
    var mute = false

    @Flag(help: "Remove the loudspeaker's echo from the microphone; not needed with headphones.")
    var echoCancellation = false

    @Flag(help: "Do not remove steady background noise from the microphone.")
    var noNoiseSuppression = false

    /// Something is said about devices.
    var isNamed: Bool { self.input != nil || self.output != nil || self.mute }

    /// The devices, and what is to be said of those that are not there.
    ///
    /// - Parameter isPreset: devices are used where none is named, if there are any.
    func plan(isPreset: Bool) throws(CommandFailure) -> (plan: SoundStation.Plan?, remark: String?) {
        guard isPreset || self.input != nil || self.output != nil else { return (nil, nil) }
        let list: SoundDeviceList
        do throws(SoundFailure) {
            list = try PulseDevices.read()
        } catch {
            guard self.input == nil, self.output == nil else {
                throw CommandFailure("\(error)", exitCode: .unavailable)
            }
            return (nil, "No microphone and no loudspeaker (\(error)): nothing is said without --play.")
        }
        var plan = SoundStation.Plan(
            input: try self.choose(self.input, .input, in: list, isPreset: isPreset),
            output: try self.choose(self.output, .output, in: list, isPreset: isPreset))
        plan.isMuted = self.mute
        plan.canceller.cancelsEcho = self.echoCancellation
        plan.canceller.suppressesNoise = !self.noNoiseSuppression
        switch (plan.input, plan.output) {
        case (nil, nil): return (nil, "No microphone and no loudspeaker here: nothing is said without --play.")
        case (nil, .some) where isPreset: return (plan, "No microphone here: you hear, and say nothing.")
        case (.some, nil) where isPreset: return (plan, "No loudspeaker here: you speak, and hear nothing.")
        default: return (plan, nil)
        }
    }

    private func choose(
        _ name: String?, _ direction: SoundDevice.Direction, in list: SoundDeviceList, isPreset: Bool
    ) throws(CommandFailure) -> SoundDevice? {
        guard let name else { return isPreset ? list.preset(direction) : nil }
        do throws(SoundDeviceList.Refusal) {
            return try list.find(name, direction)
        } catch {
            throw CommandFailure(Self.words(error, name, direction, list), exitCode: .usage)
        }
    }

    private static func words(
        _ refusal: SoundDeviceList.Refusal, _ name: String, _ direction: SoundDevice.Direction, _ list: SoundDeviceList
    ) -> String {
        let option = "--\(direction.rawValue)"
        switch refusal {
        case .ambiguous(let devices):
            return "\(option): '\(name)' may be \(devices.map { "'\($0.title)'" }.joined(separator: " or "))"
        case .unknown:
            let titles = list.choice(of: direction).map { "'\($0.title)'" }
            let choice = titles.isEmpty ? "there is none" : "there is \(titles.joined(separator: ", "))"
            return "\(option): no '\(name)' here; \(choice)"
        }
    }
}
