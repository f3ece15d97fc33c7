import Handset
import Sound
import System

/// Single keys on the terminal of somebody who talks. Control-C is one of them.
final class CallKeys {
    private let mode: TerminalMode
    private let pressed: (Character) -> Void
    private var isStopped = false

    /// A finger is slower than that.
    private static let interval = Duration.milliseconds(50)
    static let interrupt: Character = "\u{3}"

    /// Nil where nobody sits at a terminal.
    init?(on peers: PeerDependencies, _ pressed: @escaping (Character) -> Void) {
        guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal,
            let mode = TerminalMode(.standardInput, echoes: false, takesLines: false)
        else { return nil }
        self.mode = mode
        self.pressed = pressed
        self.look(on: peers)
    }

    /// The terminal is as it was before.
    func stop() {
        self.isStopped = true
        self.mode.restore()
    }

    private func look(on peers: PeerDependencies) {
        guard !self.isStopped else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        if FileDescriptor.standardInput.isReadable() {
            // At the end of input there are no more keys.
            guard let count = try? FileDescriptor.standardInput.read(into: &bytes, at: 0..<64), count > 0 else {
                return
            }
            for byte in bytes.prefix(count) { self.pressed(Character(Unicode.Scalar(byte))) }
        }
        peers.after(Self.interval) { [weak self, weak peers] in
            if let peers { self?.look(on: peers) }
        }
    }
}

extension PeerDependencies {
    /// For who talks with a microphone: `m` mutes and unmutes. What happens to the devices is told.
    ///
    /// - Parameter others: hears of the other keys.
    func talkKeys(
        besides screen: CallScreen, interrupted: @escaping () -> Void, others: @escaping (Character) -> Void = { _ in }
    ) -> CallKeys? {
        guard let station = self.station else { return nil }
        station.onNotice = { screen.warn($0.sentence) }
        guard station.hasMicrophone else { return nil }
        let keys = CallKeys(on: self) { key in
            switch key {
            case "m": station.isMuted.toggle()
            case CallKeys.interrupt: interrupted()
            default: others(key)
            }
        }
        if keys != nil { screen.say("m mutes the microphone\(station.isMuted ? ", which is muted now" : "")") }
        return keys
    }
}

extension DeviceFollower.Notice {
    fileprivate var sentence: String {
        switch self {
        case .lost(.input): "The microphone is gone: nothing is said until there is one."
        case .lost(.output): "The loudspeaker is gone: nothing is heard until there is one."
        case .uses(.input, let name): "The microphone is \(name) now."
        case .uses(.output, let name): "The loudspeaker is \(name) now."
        }
    }
}
