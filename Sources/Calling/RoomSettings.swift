/// How large a room grows and how long it keeps a seat.
package struct RoomSettings: Hashable, Sendable {
    package var maximumMembers = 10_000
    /// How long a seat waits for a line that broke. Together with the ping timeout, after which a silent line counts
    /// as broken, it has to stay below the ping timeout and one second; so it is less than that second.
    package var lease: Duration = .milliseconds(800)

    package init() {}
}
