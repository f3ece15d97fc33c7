internal import Bytes
internal import STUN
internal import Vocabulary

extension TURNClient {
    /// An answer to a request. What belongs to none is not for us.
    mutating func answered(_ message: STUNMessage, at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        guard let transaction = self.transactions[message.transaction],
            message.type.method == transaction.purpose.method
        else { return }
        let code = message.type.class == .error ? message.errorCode : nil
        guard self.isGenuine(message, code, to: transaction) else {
            // Over UDP the server's own answer may still come (RFC 8489 §9.2.5).
            guard self.settings.transport.isStream else { return }
            self.transactions[transaction.id] = nil
            return self.refused(transaction, .forged, at: now, into: &outbox)
        }
        self.transactions[transaction.id] = nil
        // Karn's rule: after a retransmission the round trip is ambiguous.
        if transaction.sends == 1 { self.retransmission.measured(transaction.firstSent.duration(to: now)) }
        guard message.type.class == .error else {
            return self.granted(transaction, message, at: now, into: &outbox)
        }
        guard let code else { return self.refused(transaction, .nonsense, at: now, into: &outbox) }
        self.refused(transaction, message, code, at: now, into: &outbox)
    }

    /// Whether it is signed as the request was. Who asks for a signature cannot sign yet.
    private func isGenuine(_ message: STUNMessage, _ code: STUNErrorCode?, to request: TURNTransaction) -> Bool {
        guard let authentication = request.signature.authentication else { return true }
        if code == .unauthenticated || code == .staleNonce { return true }
        return authentication.accepts(message)
    }

    private mutating func granted(
        _ transaction: TURNTransaction, _ message: STUNMessage, at now: Instant, into outbox: inout Outbox<TURNEvent>
    ) {
        switch transaction.purpose {
        case .allocate: self.allocated(message, at: now, into: &outbox)
        case .refresh: self.refreshed(message, at: now, into: &outbox)
        case .close: self.finish(into: &outbox)
        case .permission(let ip):
            if self.peers.permitted(ip, at: now) { outbox.events.append(.permitted(ip)) }
        case .channel(let number):
            if let peer = self.peers.bound(number, at: now) { outbox.events.append(.channelBound(peer)) }
        }
    }

    private mutating func allocated(_ message: STUNMessage, at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        var relayed: [SocketAddress] = []
        var attributes = message.attributes
        while let attribute = attributes.next() {
            guard attribute.type == .xorRelayedAddress, let address = message.address(in: attribute),
                !relayed.contains(where: { STUNAddressFamily(of: $0.ip) == STUNAddressFamily(of: address.ip) })
            else { continue }
            relayed.append(address)
        }
        guard !relayed.isEmpty, let lifetime = message.lifetime else { return self.fail(.nonsense, into: &outbox) }
        let allocation = TURNAllocation(
            relayed: relayed, mapped: message.mappedAddress, lifetime: lifetime, missing: message.addressError?.code)
        self.signature.wasTaken()
        self.relay(allocation, for: lifetime, at: now)
        outbox.events.append(.allocated(allocation))
    }

    private mutating func refreshed(_ message: STUNMessage, at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        guard case .relaying(let allocation, _, _) = self.state else { return }
        guard let lifetime = message.lifetime, lifetime > .zero else { return self.fail(.forgotten, into: &outbox) }
        self.relay(allocation, for: lifetime, at: now)
    }

    private mutating func relay(_ allocation: TURNAllocation, for lifetime: Duration, at now: Instant) {
        let rest = max(lifetime - TURNSettings.margin, lifetime / 2)
        self.state = .relaying(allocation, until: now + lifetime, refresh: now + rest)
    }
}

// MARK: - Refusals

extension TURNClient {
    private mutating func refused(
        _ transaction: TURNTransaction, _ message: STUNMessage, _ code: STUNErrorCode, at now: Instant,
        into outbox: inout Outbox<TURNEvent>
    ) {
        let failure = TURNFailure.refused(code, reason: message.errorReason ?? "")
        switch code {
        case .unauthenticated, .staleNonce:
            self.challenged(transaction, message, code, failure, at: now, into: &outbox)
        case .tryAlternate where transaction.purpose == .allocate:
            self.redirected(message, into: &outbox)
        case .allocationMismatch where transaction.purpose == .allocate:
            self.mismatched(failure, into: &outbox)
        case .addressFamilyNotSupported where transaction.purpose == .allocate && self.mayWantLess:
            self.wantsOneFamily = true
            self.send(.allocate, at: now, into: &outbox)
        case .wrongCredentials where self.signature.isNewer(than: transaction.signature) || self.signature.goBack():
            self.send(transaction.purpose, at: now, into: &outbox)
        default:
            self.refused(transaction, failure, at: now, into: &outbox)
        }
    }

    private var mayWantLess: Bool { self.settings.families.count == 2 && !self.wantsOneFamily }

    /// The server wants a signature, or another one: sign with what it says now, and ask again.
    private mutating func challenged(
        _ transaction: TURNTransaction, _ message: STUNMessage, _ code: STUNErrorCode, _ failure: TURNFailure,
        at now: Instant, into outbox: inout Outbox<TURNEvent>
    ) {
        let former = transaction.signature.authentication?.challenge
        guard let challenge = STUNChallenge(message, formerRealm: former?.realm),
            transaction.challenges < TURNSettings.maximumChallenges
        else { return self.refused(transaction, failure, at: now, into: &outbox) }
        // Signed for this realm, with the best we have, and still a stranger: the name or the password is wrong.
        if code == .unauthenticated, former?.realm == challenge.realm,
            !self.signature.isNewer(than: transaction.signature), !self.signature.goBack()
        {
            return self.refused(transaction, failure, at: now, into: &outbox)
        }
        guard self.signature.answer(challenge, as: self.account) else {
            return self.refused(transaction, failure, at: now, into: &outbox)
        }
        self.send(transaction.purpose, challenges: transaction.challenges + 1, at: now, into: &outbox)
    }

    private mutating func redirected(_ message: STUNMessage, into outbox: inout Outbox<TURNEvent>) {
        guard let address = message.address(of: .alternateServer) else { return self.fail(.nonsense, into: &outbox) }
        guard self.redirections.count < TURNSettings.maximumRedirections, address != self.server,
            !self.redirections.contains(address)
        else { return self.fail(.redirectedTooOften, into: &outbox) }
        self.redirections.append(self.server)
        self.server = address
        // Its realm may be another's, and its nonce surely is.
        self.signature = TURNSignature()
        self.reopen(into: &outbox)
    }

    /// Our address and port had an allocation before we came. From another port we are a new client.
    private mutating func mismatched(_ failure: TURNFailure, into outbox: inout Outbox<TURNEvent>) {
        guard self.mismatches < TURNSettings.maximumMismatches else { return self.fail(failure, into: &outbox) }
        self.mismatches += 1
        self.reopen(into: &outbox)
    }

    private mutating func reopen(into outbox: inout Outbox<TURNEvent>) {
        self.state = .reopening
        self.messages = STUNStream()
        outbox.events.append(.reopen(self.server))
    }

    private mutating func refused(
        _ transaction: TURNTransaction, _ failure: TURNFailure, at now: Instant, into outbox: inout Outbox<TURNEvent>
    ) {
        switch transaction.purpose {
        case .allocate: self.fail(failure, into: &outbox)
        case .refresh: self.fail(failure.code == .allocationMismatch ? .forgotten : failure, into: &outbox)
        case .close: self.finish(into: &outbox)
        case .permission(let ip):
            if failure.code == .allocationMismatch { return self.fail(.forgotten, into: &outbox) }
            self.peers.forbid(ip)
            outbox.events.append(.forbidden(ip, failure))
        case .channel(let number):
            if failure.code == .allocationMismatch { return self.fail(.forgotten, into: &outbox) }
            self.peers.refuseChannel(number)
        }
    }
}
