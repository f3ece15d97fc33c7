package import Calling
package import Pacing

/// How many, how often, and for how long.
package struct SwitchboardSettings: Sendable {
    package var calls = CallSettings()
    package var rooms = RoomSettings()
    package var presence = PresenceSettings()
    /// Requests of one line, whatever they are for.
    package var requests = TokenBucket.Rate(perSecond: 100, burst: 400)
    /// Calls that one line begins: each leaves a line in the history.
    package var invitations = TokenBucket.Rate(perSecond: 1, burst: 30)
    /// Rooms that one user is in, on all of their lines together.
    package var maximumRoomsPerUser = 50
    /// In a room with more members than this no member is told who is there, who comes and who goes: ten thousand people
    /// who meet each other would be a hundred million introductions.
    package var maximumIntroducedMembers = 256
    /// With more users online than this no client is given the list of them all.
    package var maximumIntroducedUsers = 2000
    /// Rooms there may be at once.
    package var maximumRooms = 100_000
    /// One description, candidate or piece of data.
    package var maximumSignalBytes = 256 << 10

    package init() {}
}
