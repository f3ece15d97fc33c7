/// Timestamps without their turns around the circle.
package struct TimestampUnwrapper: Hashable, Sendable {
    private var last: Int64?

    package init() {}

    /// The place of a packet's sound in its stream, which the next is taken for being near to.
    package mutating func place(_ timestamp: UInt32) -> Int64 {
        let place = self.peek(timestamp) ?? Int64(timestamp)
        self.last = place
        return place
    }

    /// Nil before anything came that it could be compared with.
    package func peek(_ timestamp: UInt32) -> Int64? {
        guard let last = self.last else { return nil }
        return last &+ Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last)))
    }
}
