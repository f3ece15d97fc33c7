/// How presence is told.
package struct PresenceSettings: Hashable, Sendable {
    /// How long a user without a line is still shown as online, so that a reconnect does not flap.
    package var linger: Duration = .zero
    /// A line can ask about this many users.
    package var maximumWatchedPerLine = 1_000

    package init() {}
}
