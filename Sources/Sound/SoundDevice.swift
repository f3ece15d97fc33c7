/// A microphone or a loudspeaker, as the sound server knows it.
package struct SoundDevice: Hashable, Sendable {
    package enum Direction: String, Hashable, Sendable, CaseIterable { case input, output }

    /// Unlike all others.
    package let name: String
    /// What people call it.
    package let title: String
    package let direction: Direction
    package let isDefault: Bool
    /// Hears what a loudspeaker plays and is no microphone: it is taken only by its whole name.
    package let isMonitor: Bool

    package init(name: String, title: String, direction: Direction, isDefault: Bool = false, isMonitor: Bool = false) {
        self.name = name
        self.title = title
        self.direction = direction
        self.isDefault = isDefault
        self.isMonitor = isMonitor
    }
}
