internal import BinaryCoding
internal import Clustering
internal import Operations
internal import Reactor
internal import Vocabulary

/// What a node sends to a line arrives in its order, also when the line moves meanwhile. What is on its way to the old node is passed on from
/// there; so what comes next waits until a flush, sent behind it, has gone the same way.
///
///     N ──signal──▶ X ──signal──▶ Y
///     N ──flush───▶ X ──flush───▶ Y ──flushed──▶ N ──next signal──▶ Y
extension Switchboard {
    struct Flush {
        var waiting: [RelayedSignal] = []
        let timer: TimerToken

        static let maximumWaiting = 256
        /// The old node may be gone, and with it what was sent before.
        static let timeout = Duration.seconds(1)
    }

    /// A line that we have sent something to has moved.
    func flush(_ session: SessionID, through node: RandomToken) {
        guard let ledger = self.ledger, self.flushes[session] == nil,
            ledger.send(NodeLetter.flush(session, by: ledger.node), to: node)
        else { return }
        let timer = self.scheduler.schedule(after: Flush.timeout) { [unowned self] in self.flushed(session) }
        self.flushes[session] = Flush(timer: timer)
    }

    /// Keeps the signal until the flush has arrived; false when no flush is on its way.
    func awaitFlush(_ signal: RelayedSignal, for session: SessionID) throws(RequestError) -> Bool {
        guard !self.flushes.isEmpty, let count = self.flushes[session]?.waiting.count else { return false }
        guard count < Flush.maximumWaiting else { throw Self.unreachable }
        self.flushes[session]?.waiting.append(signal)
        return true
    }

    /// From the node that sent something to the line before. Where the line is, that has arrived; the old node passes the flush on behind it.
    func received(flush session: SessionID, of node: RandomToken) {
        guard let ledger = self.ledger else { return }
        if self.guests[session] == nil, let next = self.strangers[session]?.node, next != ledger.node {
            ledger.send(NodeLetter.flush(session, by: node), to: next)
        } else if node == ledger.node {
            self.flushed(session)
        } else {
            ledger.send(NodeLetter.flushed(session), to: node)
        }
    }

    func flushed(_ session: SessionID) {
        guard let flush = self.flushes.removeValue(forKey: session) else { return }
        self.scheduler.cancel(flush.timer)
        // Where it cannot be reached any more, they are lost like those on a way that breaks.
        for signal in flush.waiting { try? self.pass(signal, to: session) }
    }
}
