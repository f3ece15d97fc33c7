/// How long calls wait, and how many one user may have.
package struct CallSettings: Hashable, Sendable {
    /// How long a call rings before it ends unanswered.
    package var ringTime: Duration = .seconds(45)
    /// How long a call waits for a side whose link broke.
    package var linkGrace: Duration = .seconds(15)
    /// How long a call waits for its sides after the server was started anew.
    package var restartGrace: Duration = .seconds(60)
    /// Who takes part in this many calls is busy. 2 is what telephones know as call waiting.
    package var busyFrom = 1
    /// A user can take part in this many calls, if they make the others themselves.
    package var maximumCallsPerUser = 4
    /// One that answers many at once, such as a recorder, takes at most this many.
    package var maximumAnswered = 1_000
    /// Whether devices that sleep may be woken for a call.
    package var wakesDevices = false
    /// A call rings this many devices.
    package var maximumDevices = 16
    /// So many ended calls are remembered, to answer latecomers and to know a repeated invitation.
    package var maximumRemembered = 4_096

    package init() {}
}
