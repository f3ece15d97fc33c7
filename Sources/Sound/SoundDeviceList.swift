/// The microphones and loudspeakers of a machine.
package struct SoundDeviceList: Hashable, Sendable {
    package let devices: [SoundDevice]

    package init(_ devices: [SoundDevice]) { self.devices = devices }

    /// Why a name means no device.
    package enum Refusal: Error, Hashable, Sendable {
        case unknown
        case ambiguous([SoundDevice])
    }

    /// Those to choose from.
    package func choice(of direction: SoundDevice.Direction) -> [SoundDevice] {
        self.devices.filter { $0.direction == direction && !$0.isMonitor }
    }

    /// The one that is used where nothing is said. A machine without a microphone has none, although its sound server would
    /// hand out what the loudspeaker plays: callers would hear themselves.
    package func preset(_ direction: SoundDevice.Direction) -> SoundDevice? {
        let choice = self.choice(of: direction)
        return choice.first(where: \.isDefault) ?? choice.first
    }

    /// By the whole name or title, or by a beginning of one that means no other; capitals do not count. `default` is the one
    /// that is used where nothing is said.
    package func find(_ text: String, _ direction: SoundDevice.Direction) throws(Refusal) -> SoundDevice {
        let wanted = text.lowercased()
        let all = self.devices.filter { $0.direction == direction }
        if let exact = all.first(where: { $0.name.lowercased() == wanted }) { return exact }
        if wanted == "default", let preset = self.preset(direction) { return preset }
        let choice = self.choice(of: direction)
        for matches in [
            choice.filter { $0.title.lowercased() == wanted },
            choice.filter { $0.name.lowercased().hasPrefix(wanted) || $0.title.lowercased().hasPrefix(wanted) },
        ] where !matches.isEmpty && !wanted.isEmpty {
            guard matches.count == 1 else { throw .ambiguous(matches) }
            return matches[0]
        }
        throw .unknown
    }
}
