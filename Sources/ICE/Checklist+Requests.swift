internal import STUN
internal import Vocabulary

// What the other side's checks do to us (RFC 8445 §7.3).

extension Checklist {
    /// Whether the name of a request is one of ours: `ours:theirs`.
    func isAddressed(by username: Span<UInt8>) -> Bool {
        let fragment = self.local.usernameFragment.utf8
        guard username.count > fragment.count, username[fragment.count] == UInt8(ascii: ":") else { return false }
        var index = 0
        for byte in fragment {
            guard username[index] == byte else { return false }
            index += 1
        }
        return true
    }

    mutating func requested(
        _ message: STUNMessage, on path: PathID, from address: SocketAddress, _ context: inout ICEContext,
        at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt {
        let request = CheckRequest(message, path, address, now)
        guard message.isAuthentic(self.localKey) else {
            self.refuse(request, message.hasIntegrity ? .unauthenticated : .badRequest, into: &outbox)
            return .ignored
        }
        let unknown = message.notUnderstood(knowing: CheckRequest.known)
        guard unknown.isEmpty else {
            self.reject(request, .unknownAttribute, unknown: unknown, into: &outbox)
            return .handled
        }
        guard self.agreeOnRoles(request, &context, into: &outbox) else { return .handled }
        guard let index = self.pairOfRequest(request, &context, into: &outbox) else { return .ignored }
        self.pairs[index].counters.requestsReceived += 1
        self.pairs[index].counters.responsesSent += 1
        self.pairs[index].lastReceived = now
        self.pairs[index].isTrusted = true
        context.handshake.read(message)
        if context.handshake.hasDatagrams {
            context.unanswered = request
        } else {
            self.accept(request, &context, into: &outbox)
        }
        self.follow(request, index, &context, into: &outbox)
        return .handled
    }

    /// False when they are to change theirs (RFC 8445 §7.3.1.1).
    private mutating func agreeOnRoles(
        _ request: CheckRequest, _ context: inout ICEContext, into outbox: inout Outbox<ICEEvent>
    ) -> Bool {
        guard let conflict = request.tieBreaker(inRole: context.role) else { return true }
        let isOurs = context.tieBreaker >= conflict
        // Who draws the higher number controls. A lite agent never does.
        guard isOurs == (context.role == .controlled), !context.settings.isLite else {
            self.reject(request, .roleConflict, into: &outbox)
            return false
        }
        self.switchRole(&context, into: &outbox)
        return true
    }

    mutating func switchRole(_ context: inout ICEContext, into outbox: inout Outbox<ICEEvent>) {
        context.switchRole()
        self.roleSwitched(to: context.role)
        outbox.events.append(.roleChanged(context.role))
    }

    /// A known pair, or a new one with a peer-reflexive candidate.
    private mutating func pairOfRequest(
        _ request: CheckRequest, _ context: inout ICEContext, into outbox: inout Outbox<ICEEvent>
    ) -> Int? {
        if let index = self.index(on: request.path, to: request.address) { return index }
        guard let place = context.index(of: request.path) else { return nil }
        let path = context.paths[place]
        let discovered = RemoteCandidate(
            discovered: request.address, transport: path.path.transport.counterpart, priority: request.priority)
        if let known = self.remotes.first(where: {
            $0.address == request.address && $0.transport == discovered.transport
        }) {
            return self.pair(path, known, context, into: &outbox)
        }
        guard self.hasRoom(forDiscovered: request.address.ip, context) else { return nil }
        self.remotes.append(discovered)
        // Only on the way it came: the address may mean nothing on the others (RFC 8445 §7.3.1.4).
        return self.pair(path, discovered, context, into: &outbox)
    }

    /// Behind two NATs that give every destination a port of its own, each packet comes from a new address, and each
    /// answer to it as well. A few of them are followed, not all.
    private mutating func hasRoom(forDiscovered ip: IPAddress, _ context: ICEContext) -> Bool {
        let alive = Set(self.pairs.filter { $0.state != .failed }.map(\.remote.address))
        self.remotes.removeAll { $0.kind == .peerReflexive && !alive.contains($0.address) }
        guard self.remotes.count < context.settings.maximumRemotes else { return false }
        return self.remotes.count { $0.kind == .peerReflexive && $0.address.ip == ip } < 4
    }

    private mutating func follow(
        _ request: CheckRequest, _ index: Int, _ context: inout ICEContext, into outbox: inout Outbox<ICEEvent>
    ) {
        if request.nominates, context.role == .controlled {
            self.pairs[index].isNominated = true
            self.pairs[index].nomination = max(request.nomination, self.pairs[index].nomination)
        }
        if request.wishes, context.role == .controlling { self.pairs[index].isRequestedByPeer = true }
        if context.settings.isLite { return self.acceptedLite(index, context, at: request.now, into: &outbox) }
        switch self.pairs[index].state {
        case .succeeded:
            self.acceptNomination(index, isAsked: request.nominates, at: request.now, context, into: &outbox)
            self.acceptPeerSwitch(index, &context, at: request.now, into: &outbox)
        case .waiting, .failed:
            self.pairs[index].state = .waiting
            self.pairs[index].firstAttempt = nil
            self.trigger(index)
        case .inProgress:
            // It may have opened the way for ours only now.
            self.trigger(index)
        }
    }

    mutating func accept(
        _ request: CheckRequest, _ context: inout ICEContext, into outbox: inout Outbox<ICEEvent>
    ) {
        var message = outbox.packets.begin(.success, request.header.type.method, request.header.transaction)
        message.append(.xorMappedAddress, request.address)
        context.handshake.write(to: &message)
        message.appendIntegrity(self.localKey)
        message.appendFingerprint()
        outbox.packets.finish(message, from: request.path, to: request.address)
    }

    private mutating func reject(
        _ request: CheckRequest, _ refusal: STUNErrorCode, unknown: [STUNAttributeType] = [],
        into outbox: inout Outbox<ICEEvent>
    ) {
        var message = outbox.packets.begin(.error, request.header.type.method, request.header.transaction)
        message.append(refusal)
        if !unknown.isEmpty { message.append(unknown: unknown) }
        message.appendIntegrity(self.localKey)
        message.appendFingerprint()
        outbox.packets.finish(message, from: request.path, to: request.address)
    }

    /// Who does not know the password learns so, but not often: a flood is not worth a flood of answers.
    private mutating func refuse(
        _ request: CheckRequest, _ code: STUNErrorCode, into outbox: inout Outbox<ICEEvent>
    ) {
        guard request.now >= self.nextRefusal else { return }
        self.nextRefusal = request.now + .milliseconds(100)
        var message = outbox.packets.begin(.error, request.header.type.method, request.header.transaction)
        message.append(code)
        message.appendFingerprint()
        outbox.packets.finish(message, from: request.path, to: request.address)
    }
}
