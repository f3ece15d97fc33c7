internal import STUN
internal import Vocabulary

/// Asks STUN servers where our paths come out of the NATs (RFC 8445 §5.1.1.2).
///
/// All servers are asked at the same time; a dead one delays nothing and is reported. Until a pair is selected the
/// bindings that were found are kept alive.
struct Gatherer: Sendable {
    private struct Query {
        let server: SocketAddress
        let path: PathID
        let startedAt: Instant
        var transaction: UInt64
        var attempts = 0
        var next: Instant?
        var isAnswered = false
        var isOver = false
    }

    private var queries: [Query] = []

    /// Nothing is to be expected any more.
    var isIdle: Bool { self.queries.allSatisfy { $0.isAnswered || $0.isOver } }

    var deadline: Instant? {
        var earliest: Instant?
        for query in self.queries { earliest = .earlier(earliest, query.next) }
        return earliest
    }

    mutating func add(_ path: ICEPath, _ context: inout ICEContext, at now: Instant) {
        guard path.kind == .host, path.transport == .udp, context.settings.policy == .all, !context.settings.isLite
        else { return }
        for server in context.settings.stunServers where path.address.canReach(server.unmappingIPv4) {
            self.queries.append(
                Query(
                    server: server.unmappingIPv4, path: path.id, startedAt: now,
                    transaction: context.transaction().low, next: now))
        }
    }

    mutating func remove(_ path: PathID) { self.queries.removeAll { $0.path == path } }

    /// There is a path now, and what keeps it open keeps its binding open.
    mutating func pause() {
        for index in self.queries.indices where self.queries[index].isAnswered { self.queries[index].next = nil }
    }

    mutating func clockAdvanced(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        for index in self.queries.indices {
            guard let next = self.queries[index].next, now >= next else { continue }
            if !self.queries[index].isAnswered,
                now >= self.queries[index].startedAt + context.settings.serverTimeout
            {
                self.giveUp(index, into: &outbox)
            } else {
                self.ask(index, &context, at: now, into: &outbox)
            }
        }
    }

    private mutating func giveUp(_ index: Int, into outbox: inout Outbox<ICEEvent>) {
        self.queries[index].isOver = true
        self.queries[index].next = nil
        let server = self.queries[index].server
        let others = self.queries.filter { $0.server == server }
        if others.allSatisfy(\.isOver) { outbox.events.append(.serverSilent(server)) }
    }

    private mutating func ask(
        _ index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        let query = self.queries[index]
        if query.isAnswered { self.queries[index].transaction = context.transaction().low }
        let transaction = TransactionID(high: context.tag, low: self.queries[index].transaction)
        var message = outbox.packets.begin(.request, STUNMethod.binding, transaction)
        message.appendFingerprint()
        outbox.packets.finish(message, from: query.path, to: query.server)
        self.queries[index].attempts += 1
        // A server answers at once or not at all, and what is lost is to be asked for soon (docs/decisions/ice.md).
        let pause = Duration.milliseconds(min(100 * (query.attempts + 1), 300))
        self.queries[index].next = now + (query.isAnswered ? .seconds(15) : pause)
    }

    /// True when it is an answer to a question of ours. What it found is the caller's to use.
    mutating func responded(
        _ message: STUNMessage, on path: PathID, from address: SocketAddress, at now: Instant
    ) -> (isOurs: Bool, mapped: SocketAddress?) {
        guard
            let index = self.queries.firstIndex(where: {
                $0.transaction == message.transaction.low && $0.path == path && $0.server == address && !$0.isOver
            })
        else { return (false, nil) }
        guard message.type.class == .success, let mapped = message.mappedAddress else {
            self.queries[index].isOver = true
            self.queries[index].next = nil
            return (true, nil)
        }
        self.queries[index].next = now + .seconds(15)
        guard !self.queries[index].isAnswered else { return (true, nil) }
        self.queries[index].isAnswered = true
        return (true, mapped.unmappingIPv4)
    }
}
