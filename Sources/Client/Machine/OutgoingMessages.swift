package import Vocabulary

/// One's own messages on their way.
///
///     sending ──answered──▶ sent
///        │ refused, or no answer for twenty seconds
///        ▼
///     failed ──again──▶ sending            an answer that comes late makes it sent all the same
///
/// What went down with a connection is said again on the next one, as long as there is time.
package struct OutgoingMessages {
    package enum Order: Hashable, Sendable {
        case send(OutgoingMessage)
        case show(MessageID, OutgoingMessage.State)
    }

    private struct Entry {
        let message: OutgoingMessage
        /// Nil when it has failed.
        var deadline: Instant?
    }

    /// From saying it until it has failed.
    package static let timeout = Duration.seconds(20)
    /// Failed ones that can be said again; the oldest are forgotten.
    package static let maximumFailed = 100

    private var entries: [MessageID: Entry] = [:]
    private var failed: [MessageID] = []

    package init() {}

    package var nextDeadline: Instant? { self.entries.values.compactMap(\.deadline).min() }

    /// What has failed, the oldest first.
    package var failures: [MessageID] { self.failed }

    package mutating func said(_ message: OutgoingMessage, at now: Instant) -> [Order] {
        guard self.entries[message.id] == nil else { return [] }
        return self.send(message, at: now)
    }

    /// Says once more what has failed.
    package mutating func again(_ id: MessageID, at now: Instant) -> [Order] {
        guard let entry = self.entries[id], entry.deadline == nil else { return [] }
        self.failed.removeAll { $0 == id }
        return self.send(entry.message, at: now)
    }

    private mutating func send(_ message: OutgoingMessage, at now: Instant) -> [Order] {
        self.entries[message.id] = Entry(message: message, deadline: now + Self.timeout)
        return [.show(message.id, .sending), .send(message)]
    }

    /// The server has it.
    package mutating func answered(_ id: MessageID, _ outcome: ChatOutcome) -> [Order] {
        guard self.entries.removeValue(forKey: id) != nil else { return [] }
        self.failed.removeAll { $0 == id }
        return [.show(id, .sent(outcome))]
    }

    /// One time of saying it led to nothing.
    package mutating func unanswered(_ id: MessageID, _ error: ClientError) -> [Order] {
        guard let entry = self.entries[id], entry.deadline != nil else { return [] }
        switch error {
        // Perhaps it is there, perhaps not: its name makes saying it again the same as asking.
        case .timedOut, .connectionLost: return [.send(entry.message)]
        case .refused, .ended, .unreadableAnswer, .tooManyRequests: return self.fail(id, error)
        }
    }

    package mutating func clockAdvanced(to now: Instant) -> [Order] {
        let late = self.entries.filter { $0.value.deadline.map { $0 <= now } ?? false }
        let inOrder = late.sorted { ($0.value.deadline ?? now, $0.key.text) < ($1.value.deadline ?? now, $1.key.text) }
        return inOrder.flatMap { self.fail($0.key, .timedOut) }
    }

    private mutating func fail(_ id: MessageID, _ error: ClientError) -> [Order] {
        self.entries[id]?.deadline = nil
        self.failed.append(id)
        if self.failed.count > Self.maximumFailed { self.entries[self.failed.removeFirst()] = nil }
        return [.show(id, .failed(error))]
    }
}
