/// The batches that the UDP sockets of one loop share: they read one after another, and what they send within a turn has
/// left at its end.
final class DatagramPool {
    /// Every socket of the loop reads into it.
    let incoming = DatagramBatch(capacity: 64)
    /// Those that get equal datagrams as one read into this. Memory that nothing long was read into is never touched.
    private(set) lazy var joined = DatagramBatch(capacity: 64, size: DatagramBatch.joinedSize)
    private var free: [DatagramBatch] = []
    /// Who has one, since all were free.
    private var senders: [UDPSocket] = []
    private var made = 0

    private static let maximum = 16

    /// When all are taken, what they hold leaves before the turn ends.
    func take(for socket: UDPSocket) -> DatagramBatch {
        if self.free.isEmpty, self.made == Self.maximum {
            let senders = self.senders
            self.senders.removeAll(keepingCapacity: true)
            for sender in senders { sender.flush() }
        }
        self.senders.append(socket)
        if let batch = self.free.popLast() { return batch }
        self.made += 1
        return DatagramBatch(capacity: 64)
    }

    func giveBack(_ batch: DatagramBatch) {
        self.free.append(batch)
        if self.free.count == self.made { self.senders.removeAll(keepingCapacity: true) }
    }
}
