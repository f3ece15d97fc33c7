/// How large a room grows and how long it keeps a seat.
package struct RoomSettings: Hashable, Sendable {
    package var maximumMembers = 10_000
    /// How long a seat waits for a line that broke: as long as a line may be silent before it counts as broken, so
    /// that a client that vanishes is gone after the same time either way.
    package var lease: Duration = .seconds(20)
    /// How long it waits for a line that fell silent, whose ping timeout is over already.
    package var leaseOfSilent: Duration = .milliseconds(800)
    /// Users who come into one room without being asked.
    package var maximumAdmitted = 1000
    /// Users who do not come into one room any more.
    package var maximumBanned = 1000
    /// Users who have asked one room to be admitted, of late.
    package var maximumKnocks = 100
    /// After so long the same user may ask again.
    package var knockInterval: Duration = .seconds(30)

    package init() {}
}
