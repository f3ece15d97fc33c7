internal import CSockets
internal import CUV

/// Waits a little between two looks at the sockets while datagrams come at a moderate rate: waking up for each of them costs
/// as much as passing it on. A network card gathers its interrupts for the same reason.
struct GatheringPause {
    /// A socket that many send to was read in this turn.
    private var isRequested = false
    private var last: UInt64 = 0
    /// How many turns came close behind each other lately; one that did not takes half of them away.
    private var closeTurns = 0

    /// A twentieth of a packet of voice: nobody hears that.
    private static let nanoseconds = 900_000
    /// Of those that come less often, none would come in the meantime.
    private static let interval: UInt64 = 1_200_000
    /// The flights of a handshake are close to each other as well, and each waits for the one before.
    private static let fewestCloseTurns = 16

    mutating func request() { self.isRequested = true }

    /// What was gathered has left, and the loop is about to look again.
    mutating func turnEnded() {
        guard self.isDue(at: uv_hrtime()) else { return }
        var pause = timespec(tv_sec: 0, tv_nsec: Self.nanoseconds)
        unsafe nanosleep(&pause, nil)
        self.paused(until: uv_hrtime())
    }

    /// The time is only asked for after a turn with a request.
    mutating func isDue(at time: @autoclosure () -> UInt64) -> Bool {
        guard self.isRequested else { return false }
        self.isRequested = false
        let now = time()
        let isClose = now &- self.last < Self.interval
        self.last = now
        self.closeTurns = isClose ? min(self.closeTurns + 1, 2 * Self.fewestCloseTurns) : self.closeTurns / 2
        return isClose && self.closeTurns >= Self.fewestCloseTurns
    }

    mutating func paused(until now: UInt64) { self.last = now }
}
