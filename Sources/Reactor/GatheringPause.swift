internal import CSockets
internal import CUV

/// Waits a little between two looks at the sockets while datagrams come at a moderate rate: waking up for each of them costs
/// as much as passing it on. A network card gathers its interrupts for the same reason.
struct GatheringPause {
    private var isWanted = false
    private var last: UInt64 = 0

    /// A twentieth of a packet of voice: nobody hears that.
    private static let nanoseconds = 900_000
    /// Of those that come less often, none would come in the meantime.
    private static let interval: UInt64 = 1_200_000

    mutating func wanted() { self.isWanted = true }

    /// What was gathered has left, and the loop is about to look again.
    mutating func turnEnded() {
        guard self.isWanted else { return }
        self.isWanted = false
        let now = uv_hrtime()
        if now &- self.last < Self.interval {
            var pause = timespec(tv_sec: 0, tv_nsec: Self.nanoseconds)
            unsafe nanosleep(&pause, nil)
            self.last = uv_hrtime()
        } else {
            self.last = now
        }
    }
}
