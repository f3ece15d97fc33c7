/// The batches that the UDP sockets of one loop share: they read one after another, and what they send within a turn has
/// left at its end.
final class DatagramPool {
    /// Every socket of the loop reads into it.
    let incoming = DatagramBatch(capacity: 64)
    private var free: [DatagramBatch] = []

    /// As many as are kept for the next turn.
    private static let kept = 16

    func take() -> DatagramBatch { self.free.popLast() ?? DatagramBatch(capacity: 64) }

    func giveBack(_ batch: DatagramBatch) {
        if self.free.count < Self.kept { self.free.append(batch) }
    }
}
