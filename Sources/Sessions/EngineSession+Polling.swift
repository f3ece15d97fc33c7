package import SocketIO
package import Vocabulary

extension EngineSession {
    /// A GET came. Unless it is refused the shell holds it until the outbox answers it, which may be at once.
    package mutating func pollArrived(at now: Instant, into outbox: inout EngineOutbox) throws(EngineRefusal) {
        switch self.state {
        case .ended: throw .unknownSession
        case .webSocket: throw .badRequest
        case .polling, .probing, .closing: break
        }
        guard !self.hasPoll else {
            self.end(.transportError, into: &outbox)
            throw .badRequest
        }
        self.hasPoll = true
        self.answerPoll(into: &outbox)
        self.releasePoll(at: now, into: &outbox)
    }

    /// The waiting GET was torn off. Whatever it would have brought could be lost, so the session is over.
    package mutating func pollAborted(into outbox: inout EngineOutbox) {
        guard self.hasPoll else { return }
        self.hasPoll = false
        self.end(.transportError, into: &outbox)
    }

    /// A POST began.
    package mutating func postArrived(into outbox: inout EngineOutbox) throws(EngineRefusal) {
        switch self.state {
        case .ended: throw .unknownSession
        case .webSocket, .closing: throw .badRequest
        case .polling, .probing: break
        }
        guard !self.isPosting else {
            self.end(.transportError, into: &outbox)
            throw .badRequest
        }
        self.isPosting = true
    }

    /// All packets of the POST's body were received; tells how to answer it.
    package mutating func postFinished(into outbox: inout EngineOutbox) -> PostAnswer {
        self.isPosting = false
        self.isCorked = false
        self.answerPoll(into: &outbox)
        switch self.state {
        case .ended(.transportError), .ended(.parseError): return .badRequest
        case .polling, .probing, .webSocket, .closing, .ended: return .ok
        }
    }

    /// The POST was torn off before its body was whole.
    package mutating func postAborted(into outbox: inout EngineOutbox) {
        guard self.isPosting else { return }
        self.isPosting = false
        switch self.state {
        case .polling, .probing, .closing: self.end(.transportError, into: &outbox)
        case .webSocket, .ended: break
        }
    }

    /// Lets the waiting poll take what there is to take.
    mutating func answerPoll(into outbox: inout EngineOutbox) {
        guard self.hasPoll, !self.isCorked else { return }
        switch self.state {
        case .polling, .probing:
            guard !self.queue.isEmpty else { return }
            self.hasPoll = false
            outbox.append(.answerPoll(self.queue.next(within: self.settings.maxPayload)))
        case .closing(let reason, _):
            self.hasPoll = false
            let last = self.queue.isEmpty ? [] : self.queue.next(within: self.settings.maxPayload)
            guard self.queue.isEmpty else { return outbox.append(.answerPoll(last)) }
            outbox.append(.answerPoll(last + [.close]))
            self.end(reason, into: &outbox)
        case .webSocket, .ended:
            break
        }
    }
}
