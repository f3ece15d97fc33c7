internal import STUN
internal import Vocabulary

/// One session between the two sides: their credentials, the pairs, and which of them is used.
///
/// A restart makes a new one; the old one goes on carrying packets until the new one has a pair.
struct Checklist: Sendable {
    /// The other side, as its description says.
    struct Remote: Sendable {
        let credentials: ICECredentials
        let key: STUNKey
        let isLite: Bool
        /// `theirs:ours`, as every check of ours carries it.
        let username: [UInt8]
    }

    let local: ICECredentials
    let localKey: STUNKey
    private(set) var remote: Remote?
    var remotes: [RemoteCandidate] = []
    var hasRemoteEnded = false
    var pairs: [CandidatePair] = []
    var selected: Int?
    /// Until then pairs are tried that would only be a reserve.
    var searchEnd = Instant(nanoseconds: .min)
    var selectedChanges = 0
    /// The pair in use went with its path, and there was no other.
    var hasLostAll = false

    var schedule = CheckSchedule()
    var outstanding = OutstandingChecks()
    var nomination = Nomination()
    var pathProbe = PathProbe()
    var nextRefusal = Instant(nanoseconds: .min)
    private(set) var startedAt: Instant?
    private var nextPair = 0

    init(_ local: ICECredentials) {
        self.local = local
        self.localKey = STUNKey(shortTerm: local.password)
    }

    func index(of pair: Int) -> Int? { self.pairs.firstIndex { $0.id == pair } }
    var selectedIndex: Int? { self.selected.flatMap { self.index(of: $0) } }
    /// When something last came on the pair in use.
    var lastReceived: Instant? { self.selectedIndex.map { self.pairs[$0].lastReceived } }

    func index(on path: PathID, to address: SocketAddress) -> Int? {
        self.pairs.firstIndex { $0.path == path && $0.remote.address == address }
    }

    /// The first description counts; other credentials are for another session, after a restart.
    mutating func described(_ credentials: ICECredentials, isLite: Bool, at now: Instant) {
        guard self.remote == nil else { return }
        let username = "\(credentials.usernameFragment):\(self.local.usernameFragment)"
        self.remote = Remote(
            credentials: credentials, key: STUNKey(shortTerm: credentials.password), isLite: isLite,
            username: Array(username.utf8))
        self.startedAt = self.startedAt ?? now
    }
}

// MARK: - Forming pairs (RFC 8445 §6.1.2)

extension Checklist {
    /// Pairs a candidate of theirs with every local path. A peer-reflexive one that is signalled later keeps its pair.
    mutating func add(
        _ candidate: RemoteCandidate, _ context: inout ICEContext, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        if let known = self.remotes.firstIndex(where: {
            $0.address == candidate.address && $0.transport == candidate.transport
        }) {
            guard self.remotes[known].kind == .peerReflexive else { return }
            self.identify(known, as: candidate, context)
            return self.reconsider(&context, at: now, into: &outbox)
        }
        guard self.remotes.count < context.settings.maximumRemotes else { return }
        self.remotes.append(candidate)
        self.searchEnd = now + context.settings.reserveSearch
        // A connection that was accepted leads to one peer, who is known by its checks.
        for path in context.paths where !path.isConnection { self.pair(path, candidate, context, into: &outbox) }
    }

    private mutating func identify(_ known: Int, as candidate: RemoteCandidate, _ context: ICEContext) {
        let address = self.remotes[known].address
        self.remotes[known] = candidate
        for index in self.pairs.indices
        where self.pairs[index].remote.address == address && self.pairs[index].remote.transport == candidate.transport {
            self.pairs[index].remote = candidate
            self.pairs[index].priority = self.priority(self.pairs[index], context.role)
        }
    }

    /// A new local path.
    mutating func add(
        _ path: LocalPath, _ context: ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.searchEnd = now + context.settings.reserveSearch
        for candidate in self.remotes { self.pair(path, candidate, context, into: &outbox) }
    }

    @discardableResult
    mutating func pair(
        _ path: LocalPath, _ candidate: RemoteCandidate, _ context: ICEContext,
        into outbox: inout Outbox<ICEEvent>
    ) -> Int? {
        guard path.path.transport.counterpart == candidate.transport,
            path.path.address.canReach(candidate.address),
            context.settings.policy == .all || path.path.isRelayed,
            self.index(on: path.path.id, to: candidate.address) == nil, self.makeRoom(context)
        else { return nil }
        var pair = CandidatePair(
            id: self.nextPair, path: path.path.id,
            needsDialing: path.path.transport == .tcpActive && !path.isConnection,
            isRelayed: path.path.isRelayed, localPriority: path.priority,
            reflexivePriority: path.reflexivePriority, localFoundation: path.candidates.first?.foundation ?? "",
            remote: candidate, priority: 0)
        self.nextPair += 1
        pair.priority = self.priority(pair, context.role)
        self.pairs.append(pair)
        if pair.isRelayed { outbox.events.append(.peerExpected(path: pair.path, candidate.address)) }
        return self.pairs.count - 1
    }

    /// Beyond the limit only a failed pair makes room.
    private mutating func makeRoom(_ context: ICEContext) -> Bool {
        guard self.pairs.count >= context.settings.maximumPairs else { return true }
        guard let given = self.pairs.firstIndex(where: { $0.state == .failed }) else { return false }
        self.remove(at: given)
        return true
    }

    /// What we are seen as turns out to be a candidate with another priority than we thought.
    mutating func reprioritized(_ path: PathID, _ address: SocketAddress, _ priority: UInt32, _ role: ICERole) {
        for index in self.pairs.indices where self.pairs[index].path == path && self.pairs[index].mapped == address {
            self.pairs[index].localPriority = priority
            self.pairs[index].priority = self.priority(self.pairs[index], role)
        }
    }

    func priority(_ pair: CandidatePair, _ role: ICERole) -> UInt64 {
        switch role {
        case .controlling:
            .pairPriority(controlling: pair.localPriority, controlled: pair.remote.priority)
        case .controlled:
            .pairPriority(controlling: pair.remote.priority, controlled: pair.localPriority)
        }
    }

    mutating func roleSwitched(to role: ICERole) {
        for index in self.pairs.indices {
            self.pairs[index].priority = self.priority(self.pairs[index], role)
            // Who controls now has to say which pair it wants.
            if role == .controlling, self.pairs[index].state == .succeeded { self.trigger(index) }
        }
    }

    mutating func remove(_ path: PathID) {
        for index in self.pairs.indices.reversed() where self.pairs[index].path == path { self.remove(at: index) }
    }

    private mutating func remove(at index: Int) {
        let pair = self.pairs.remove(at: index).id
        self.schedule.cancel(pair)
        self.outstanding.removeAll(of: pair)
        if self.selected == pair { self.selected = nil }
    }
}
