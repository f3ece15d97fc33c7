internal import STUN
package import Vocabulary

/// One side's search for a path to the other, and the care for it afterwards (RFC 8445).
///
///     new ──description──▶ checking ──first pair──▶ connected ──all tried──▶ completed
///                             ▲ └──nothing works──▶ failed ◀──consent lost──┤    │
///                             └─────────restart───────┴──── disconnected ◀──silence
///
/// It neither sends nor waits. Its driver tells it what happened and when, and carries out what is in the
/// outbox afterwards; `deadline` says when to come back if nothing happens.
package struct ICEAgent: Sendable {
    private(set) var context: ICEContext
    private(set) var current: Checklist
    /// What was before a restart, while it still carries packets.
    private(set) var previous: Checklist?
    private var gatherer = Gatherer()
    package private(set) var state = ICEState.new
    private var hasPathsEnded = false
    /// Candidates that are only names yet.
    private var unresolved: [String: [ICECandidate]] = [:]

    package init(
        _ role: ICERole, _ credentials: ICECredentials, settings: ICESettings = ICESettings(),
        random: any RandomNumberGenerator & Sendable
    ) {
        self.context = ICEContext(role, settings, random)
        self.current = Checklist(credentials)
    }

    package var role: ICERole { self.context.role }
    package var credentials: ICECredentials { self.current.local }
    /// The first third of the agent's transactions, by which a demultiplexer finds it.
    package var transactionTag: UInt32 { self.context.tag }

    /// How long an answer takes on the pair in use, if that was measured.
    package var roundTrip: Duration? { self.current.selectedIndex.flatMap { self.current.pairs[$0].roundTrip } }
    package var hasPath: Bool { self.current.selected != nil || self.previous?.selected != nil }

    /// Where packets go now.
    package var way: (path: PathID, remote: SocketAddress)? {
        (self.current.selectedIndex.map { self.current.pairs[$0] }).map { ($0.path, $0.remote.address) }
    }

    /// Of ours; no address for a path that is gone.
    package func address(of path: PathID) -> SocketAddress {
        self.context.index(of: path).map { self.context.paths[$0].path.address } ?? SocketAddress(.any, port: 0)
    }

    /// Who offers controls (RFC 8445 §6.1.1), and that is known later than that there will be an agent.
    package mutating func assume(_ role: ICERole) {
        guard self.state == .new, !self.context.settings.isLite else { return }
        self.context.role = role
    }

    /// Data alone brings the deadline no closer than this.
    package static let soonestAfterData = PathProbe.silence

    /// When to call `clockAdvanced`, if time is all that happens.
    package var deadline: Instant? {
        guard self.state != .closed else { return nil }
        // Without a list: this is asked for with every packet.
        var earliest = Instant.earlier(self.current.deadline(self.context), self.gatherer.deadline)
        earliest = .earlier(earliest, self.stateDeadline)
        guard self.previous != nil else { return earliest }
        return .earlier(earliest, self.previous?.consentDeadline(self.context))
    }
}

// MARK: - Our side

extension ICEAgent {
    /// A socket was opened, a relay gave us an address. Its candidates are told, and tried with all we know of theirs.
    package mutating func pathAdded(_ path: ICEPath, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.state != .closed, self.context.index(of: path.id) == nil else { return }
        var local = LocalPath(path: path, localPreference: self.context.nextLocalPreference(path), candidates: [])
        local.candidates.append(self.ownCandidate(local))
        self.context.paths.append(local)
        if self.context.settings.policy == .all || path.isRelayed {
            self.tell(local.candidates[0], name: path.name, into: &outbox)
        }
        self.current.add(local, self.context, at: now, into: &outbox)
        self.gatherer.add(path, &self.context, at: now)
        self.settle(at: now, into: &outbox)
    }

    /// No more paths are to be expected for now: when the servers have answered, we have told all.
    package mutating func pathsEnded(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.hasPathsEnded = true
        self.settle(at: now, into: &outbox)
    }

    /// An interface went away, a relay gave up. If the packets went there, they go another way from now on.
    package mutating func pathRemoved(_ path: PathID, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.context.paths.removeAll { $0.path.id == path }
        self.gatherer.remove(path)
        self.change { list, context in list.lost(path, &context, at: now, into: &outbox) }
        self.settle(at: now, into: &outbox)
    }

    /// A connection on a passive TCP candidate.
    package mutating func accepted(
        _ connection: PathID, on path: PathID, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.add(connection, from: path)
        self.settle(at: now, into: &outbox)
    }

    /// The answer to `dial`: a way of its own from an address of its own, or nil.
    package mutating func dialed(
        from path: PathID, to address: SocketAddress, _ connection: PathID?, leaving local: SocketAddress? = nil,
        at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        if let connection { self.add(connection, from: path, leaving: local) }
        self.current.dialed(path, to: address.unmappingIPv4, connection)
        self.settle(at: now, into: &outbox)
    }

    /// A connection is a path that leads to one peer. What is known of the path it came from is true of it, too.
    private mutating func add(_ connection: PathID, from path: PathID, leaving local: SocketAddress? = nil) {
        guard let place = self.context.index(of: path), self.context.index(of: connection) == nil else { return }
        let parent = self.context.paths[place]
        var new = LocalPath(
            path: ICEPath(connection, transport: parent.path.transport, address: local ?? parent.path.address),
            localPreference: parent.localPreference, candidates: parent.candidates)
        new.isConnection = true
        self.context.paths.append(new)
    }

    private mutating func ownCandidate(_ local: LocalPath) -> ICECandidate {
        let path = local.path
        let kind: ICECandidateKind = path.isRelayed ? .relayed : .host
        let foundation = self.context.foundation(
            kind, base: path.address.ip, server: nil, isTCP: path.transport.isTCP)
        var related: SocketAddress?
        if case .relayed(let mapped) = path.kind { related = self.shown(mapped, like: path.address) }
        return ICECandidate(
            foundation: foundation, transport: path.transport,
            priority: ICECandidate.priority(kind, path.transport, local: local.localPreference),
            host: .ip(path.address.ip), port: path.address.port, kind: kind, related: related)
    }

    /// Related addresses are for people who look for mistakes. Where ours are to stay secret, they are all zeros
    /// (RFC 8828 §5).
    private func shown(_ address: SocketAddress?, like other: SocketAddress) -> SocketAddress {
        let isHidden = self.context.settings.policy == .relay || self.context.paths.contains { $0.path.name != nil }
        if let address, !isHidden { return address.unmappingIPv4 }
        if case .v4 = other.ip { return SocketAddress(.any, port: 0) }
        return SocketAddress(.any6, port: 0)
    }

    private mutating func tell(_ candidate: ICECandidate, name: String?, into outbox: inout Outbox<ICEEvent>) {
        outbox.events.append(
            .candidate(
                ICECandidate(
                    foundation: candidate.foundation, component: candidate.component, transport: candidate.transport,
                    priority: candidate.priority, host: name.map(ICEHost.name) ?? candidate.host,
                    port: candidate.transport == .tcpActive ? 9 : candidate.port, kind: candidate.kind,
                    related: candidate.related, usernameFragment: self.current.local.usernameFragment)))
    }

    /// A STUN server saw us at an address.
    private mutating func mapped(
        _ address: SocketAddress, on path: PathID, by server: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        guard let place = self.context.index(of: path) else { return }
        let local = self.context.paths[place]
        // Without a NAT it is the address itself, and several servers see the same (RFC 8445 §5.1.3).
        let known = local.candidates.firstIndex { $0.address == address }
        if let known, local.candidates[known].kind != .peerReflexive { return }
        let foundation = self.context.foundation(
            .serverReflexive, base: local.path.address.ip, server: server.ip, isTCP: false)
        let candidate = ICECandidate(
            foundation: foundation,
            priority: ICECandidate.priority(.serverReflexive, .udp, local: local.localPreference),
            host: .ip(address.ip), port: address.port, kind: .serverReflexive,
            related: self.shown(local.path.address, like: address))
        if let known { self.context.paths[place].candidates.remove(at: known) }
        self.context.paths[place].candidates.append(candidate)
        self.current.reprioritized(path, address, candidate.priority, self.context.role)
        self.current.reconsider(&self.context, at: now, into: &outbox)
        self.tell(candidate, name: nil, into: &outbox)
    }
}

// MARK: - Their side

extension ICEAgent {
    /// Their description came. New credentials after a restart of ours belong to the new session.
    package mutating func remoteDescribed(
        _ credentials: ICECredentials, isLite: Bool = false, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        // Of a full and a lite agent the full one controls (RFC 8445 §6.1.1).
        if isLite, !self.context.settings.isLite, self.context.role == .controlled {
            self.current.switchRole(&self.context, into: &outbox)
        }
        self.current.described(credentials, isLite: isLite, at: now)
        self.settle(at: now, into: &outbox)
    }

    package mutating func candidateReceived(
        _ candidate: ICECandidate, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard candidate.component == 1, self.isCurrent(candidate.usernameFragment) else { return }
        switch candidate.host {
        case .ip(let ip): self.add(candidate, at: ip, now, into: &outbox)
        case .name(let name):
            guard self.unresolved.count < self.context.settings.maximumRemotes else { return }
            self.unresolved[name, default: []].append(candidate)
            outbox.events.append(.resolve(name: name))
        }
        self.settle(at: now, into: &outbox)
    }

    /// One without a fragment, or from before we know theirs, is taken on trust: its checks will tell.
    private func isCurrent(_ fragment: String?) -> Bool {
        guard let fragment, let remote = self.current.remote else { return true }
        return fragment == remote.credentials.usernameFragment
    }

    private mutating func add(
        _ candidate: ICECandidate, at ip: IPAddress, _ now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        // Port 9 stands for none: who dials has no port to be reached at.
        guard candidate.port != 0, candidate.transport != .tcpActive else { return }
        let remote = RemoteCandidate(candidate, at: SocketAddress(ip, port: candidate.port))
        self.current.add(remote, &self.context, at: now, into: &outbox)
    }

    /// The answer to `resolve`; nil when no host on the local network has this name.
    package mutating func nameResolved(
        _ name: String, _ ip: IPAddress?, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        let candidates = self.unresolved.removeValue(forKey: name) ?? []
        if let ip { for candidate in candidates { self.add(candidate, at: ip.unmapped, now, into: &outbox) } }
        self.settle(at: now, into: &outbox)
    }

    package mutating func remoteCandidatesEnded(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.current.hasRemoteEnded = true
        self.settle(at: now, into: &outbox)
    }
}

// MARK: - Packets

extension ICEAgent {
    package mutating func received(
        _ packet: Span<UInt8>, on path: PathID, from address: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt {
        guard self.state != .closed else { return .ignored }
        let address = address.unmappingIPv4
        guard STUNMessage.isPlausible(packet) else {
            let receipt = self.data(packet.count, path, address, now)
            if receipt == .data, self.state == .disconnected { self.settle(at: now, into: &outbox) }
            return receipt
        }
        guard let message = try? STUNMessage(parsing: packet), message.type.method == STUNMethod.binding else {
            return .ignored
        }
        let receipt =
            switch message.type.class {
            case .request: self.request(message, path, address, now, &outbox)
            case .success, .error: self.response(message, path, address, now, &outbox)
            // It is not signed, and all it wants is to keep a NAT from forgetting.
            case .indication: ICEReceipt.ignored
            }
        if receipt != .ignored { self.settle(at: now, into: &outbox) }
        return receipt
    }

    private mutating func data(
        _ count: Int, _ path: PathID, _ address: SocketAddress, _ now: Instant
    ) -> ICEReceipt {
        if self.current.received(count, on: path, from: address, at: now) { return .data }
        return self.previous?.received(count, on: path, from: address, at: now) == true ? .data : .ignored
    }

    private mutating func request(
        _ message: STUNMessage, _ path: PathID, _ address: SocketAddress, _ now: Instant,
        _ outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt {
        guard let username = message.value(of: .username), message.hasRightFingerprint else { return .ignored }
        if self.current.isAddressed(by: username) {
            return self.current.requested(message, on: path, from: address, &self.context, at: now, into: &outbox)
        }
        guard self.previous?.isAddressed(by: username) == true else { return .ignored }
        return self.previous?.requested(message, on: path, from: address, &self.context, at: now, into: &outbox)
            ?? .ignored
    }

    private mutating func response(
        _ message: STUNMessage, _ path: PathID, _ address: SocketAddress, _ now: Instant,
        _ outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt {
        let receipt = self.current.responded(message, on: path, from: address, &self.context, at: now, into: &outbox)
        if let receipt { return receipt }
        let old = self.previous?.responded(message, on: path, from: address, &self.context, at: now, into: &outbox)
        if let old = old ?? nil { return old }
        let answer = self.gatherer.responded(message, on: path, from: address, at: now)
        if let mapped = answer.mapped { self.mapped(mapped, on: path, by: address, at: now, into: &outbox) }
        return answer.isOurs ? .served : .ignored
    }

    /// DTLS in checks.
    package var handshake: EmbeddedHandshake {
        get { self.context.handshake }
        set { self.context.handshake = newValue }
    }

    /// Answers the request that carried DTLS. Call it when the DTLS session has taken the datagrams of `handshake`.
    package mutating func answerCheck(into outbox: inout Outbox<ICEEvent>) {
        guard let request = self.context.unanswered.take() else { return }
        self.current.accept(request, &self.context, into: &outbox)
    }

    /// Puts a packet on the path, if there is one and they still want to hear from us.
    @discardableResult
    package mutating func send(
        _ payload: Span<UInt8>, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) -> Bool {
        guard self.state != .closed else { return false }
        if self.current.selected != nil || self.previous == nil {
            return self.current.send(payload, at: now, into: &outbox.packets)
        }
        return self.previous?.send(payload, at: now, into: &outbox.packets) ?? false
    }
}

// MARK: - Time

extension ICEAgent {
    package mutating func clockAdvanced(to now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.state != .closed else { return }
        self.settle(at: now, into: &outbox)
    }

    /// New credentials, new checks on the same sockets; packets keep going the old way until there is a new one
    /// (RFC 8445 §9). Candidates that are known are told again under the new name.
    package mutating func restart(
        _ credentials: ICECredentials, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard self.state != .closed else { return }
        if self.current.selected != nil {
            self.previous = self.current
            self.context.handshake.stop()
        }
        self.current = Checklist(credentials)
        self.unresolved.removeAll()
        self.context.gatheringHasEnded = false
        for local in self.context.paths where !local.isConnection {
            guard self.context.settings.policy == .all || local.path.isRelayed else { continue }
            for candidate in local.candidates where candidate.kind != .peerReflexive {
                self.tell(candidate, name: candidate.kind == .host ? local.path.name : nil, into: &outbox)
            }
        }
        self.settle(at: now, into: &outbox)
    }

    /// The end: nothing is sent or believed any more, which is also how consent is taken back at once (RFC 7675 §5.2).
    package mutating func close(into outbox: inout Outbox<ICEEvent>) {
        guard self.state != .closed else { return }
        self.previous = nil
        self.become(.closed, into: &outbox)
    }

    private mutating func change(_ body: (inout Checklist, inout ICEContext) -> Void) {
        body(&self.current, &self.context)
        guard var previous = self.previous else { return }
        body(&previous, &self.context)
        self.previous = previous
    }

    /// After everything that happens: do what is due, and say what that makes of us.
    private mutating func settle(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.state != .closed else { return }
        self.gatherer.clockAdvanced(&self.context, at: now, into: &outbox)
        self.current.clockAdvanced(&self.context, at: now, into: &outbox)
        if self.current.selected != nil {
            self.previous = nil
            self.gatherer.pause()
        } else {
            self.previous?.keepConsent(&self.context, at: now, into: &outbox)
        }
        self.noticeEndOfGathering(into: &outbox)
        self.become(self.nextState(at: now), into: &outbox)
    }

    private mutating func noticeEndOfGathering(into outbox: inout Outbox<ICEEvent>) {
        guard self.hasPathsEnded, self.gatherer.isIdle, !self.context.gatheringHasEnded else { return }
        self.context.gatheringHasEnded = true
        outbox.events.append(.candidatesEnded(usernameFragment: self.current.local.usernameFragment))
    }

    private mutating func become(_ state: ICEState, into outbox: inout Outbox<ICEEvent>) {
        guard state != self.state else { return }
        self.state = state
        outbox.events.append(.stateChanged(state))
    }

    private func nextState(at now: Instant) -> ICEState {
        if let quiet = self.silenceDeadline {
            guard now < quiet else { return .disconnected }
            let isOver = self.current.hasRemoteEnded && self.context.gatheringHasEnded && self.previous == nil
            return isOver && !self.current.pairs.contains(where: \.isUndecided) ? .completed : .connected
        }
        guard let startedAt = self.current.startedAt else { return self.state == .new ? .new : .checking }
        return self.isTrying || now < startedAt + self.failureGracePeriod ? .checking : .failed
    }

    /// How long to wait before failing when no pair is left to check, since a check of theirs may still arrive (RFC 8863 §4);
    /// longer while candidates may still be signalled.
    private var failureGracePeriod: Duration {
        let isOver = self.current.hasRemoteEnded && self.context.gatheringHasEnded
        return isOver ? self.context.settings.checkTimeout : self.context.settings.consentLifetime
    }

    private var isTrying: Bool {
        self.current.pairs.contains(where: \.isUndecided) || !self.unresolved.isEmpty
    }

    /// When the pair in use has been silent for too long.
    private var silenceDeadline: Instant? {
        // Either is asked where it lies: this is looked at with every packet.
        let isCurrent = self.current.selected != nil || self.previous == nil
        let last = isCurrent ? self.current.lastReceived : self.previous?.lastReceived
        return last.map { $0 + self.context.settings.silence }
    }

    private var stateDeadline: Instant? {
        switch self.state {
        case .connected, .completed: self.silenceDeadline
        case .checking:
            self.isTrying ? nil : self.current.startedAt.map { $0 + self.failureGracePeriod }
        case .new, .disconnected, .failed, .closed: nil
        }
    }
}
