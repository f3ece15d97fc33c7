package import Vocabulary

/// Who has a deadline. The alarm does not keep it alive.
package protocol VirtualSleeper: AnyObject {
    func woken(at now: Instant)
}

/// One deadline that is set, moved and lifted at will, as a machine's `nextDeadline` wants it.
package final class VirtualAlarm {
    struct Slot {
        weak var sleeper: (any VirtualSleeper)?
        var moment: Int64?
        /// The earliest event that lies in the heap for it.
        var pending: Int64?
    }

    private let index: Int32
    private unowned let network: VirtualNetwork

    init(_ index: Int32, of network: VirtualNetwork) {
        self.index = index
        self.network = network
    }

    package func set(_ moment: Instant?) { self.network.set(self.index, to: moment) }
}
