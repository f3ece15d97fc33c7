package import SocketIO
package import Vocabulary

extension EngineSession {
    /// Sends packets that belong together, like a message and its attachments. False when the session is past that.
    @discardableResult
    package mutating func send(_ packets: [EncodedPacket], into outbox: inout EngineOutbox) -> Bool {
        switch self.state {
        case .webSocket:
            for packet in packets { outbox.append(.write(packet)) }
            return true
        case .polling, .probing:
            return self.enqueue(packets, into: &outbox)
        case .closing, .ended:
            return false
        }
    }

    /// One packet of the session itself.
    mutating func dispatch(_ packet: EncodedPacket, into outbox: inout EngineOutbox) {
        self.send([packet], into: &outbox)
    }

    private mutating func enqueue(_ packets: [EncodedPacket], into outbox: inout EngineOutbox) -> Bool {
        let isFirst = self.queue.isEmpty
        for packet in packets { self.queue.append(packet) }
        // What is sent alone may be as large as it is: the limit is for what piles up.
        guard isFirst || self.queue.bytes <= self.settings.maxQueuedBytes else {
            self.end(.slowReader, into: &outbox)
            return false
        }
        self.answerPoll(into: &outbox)
        return true
    }

    /// Says goodbye in good order: what was sent before still goes out.
    package mutating func close(_ reason: EngineEnd = .forcedClose, at now: Instant, into outbox: inout EngineOutbox) {
        switch self.state {
        case .webSocket:
            self.end(reason, into: &outbox)
        case .polling, .probing:
            self.dropProbe(into: &outbox)
            self.isCorked = false
            self.state = .closing(reason, until: now + self.settings.closeTimeout)
            self.answerPoll(into: &outbox)
        case .closing, .ended:
            break
        }
    }

    /// Is over at once, whatever was waiting. Nobody who holds a request or a socket is left without an answer.
    package mutating func end(_ reason: EngineEnd, into outbox: inout EngineOutbox) {
        switch self.state {
        case .ended: return
        case .probing, .webSocket: outbox.append(.closeSocket(code: reason.closeCode))
        case .polling, .closing: break
        }
        self.state = .ended(reason)
        if self.hasPoll {
            self.hasPoll = false
            // To a client that has hung up there is nothing to say; any other one learns that it is over.
            outbox.append(.answerPoll([reason == .transportClose ? .noop : .close]))
        }
        _ = self.queue.removeAll()
        outbox.append(.ended(reason))
    }
}
