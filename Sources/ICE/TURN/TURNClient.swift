internal import Bytes
internal import STUN
package import Vocabulary

/// One allocation at one TURN server (RFC 8656).
///
///     idle ──start──▶ allocating ──granted──▶ relaying ──close──▶ closing ──▶ closed
///                      │  ▲   └──refused, silent──▶ closed  │                   ▲
///                      │  └────────opened──────┐            └──forgotten, silent┘
///                      └──another server or port─▶ reopening
///
/// The shell carries bytes to the server and from it, over whatever transport the settings name, and tells the time.
package struct TURNClient: ~Copyable, Sendable {
    enum State: Hashable, Sendable {
        /// Nothing was asked yet. Can become: allocating, closed.
        case idle
        /// The server was asked. Can become: relaying, reopening, closed.
        case allocating
        /// The shell is opening another transport. Can become: allocating, closed.
        case reopening
        /// Packets pass. Can become: closing, closed.
        case relaying(TURNAllocation, until: Instant, refresh: Instant)
        /// The server was told that we go. Can become: closed.
        case closing
        /// The last state.
        case closed
    }

    package let settings: TURNSettings
    /// What its packets say about where they leave.
    package let path: PathID
    package internal(set) var server: SocketAddress
    var state = State.idle
    var account: TURNAccount
    var signature = TURNSignature()
    var transactions: [TransactionID: TURNTransaction] = [:]
    var retransmission: RetransmissionTimer
    var peers = TURNPeers()
    var messages = STUNStream()
    var redirections: [SocketAddress] = []
    var mismatches = 0
    /// Both families were too much for the server, so that the first one has to do.
    var wantsOneFamily = false
    var random: any RandomNumberGenerator & Sendable

    package init(
        _ settings: TURNSettings, server: SocketAddress, account: TURNAccount, path: PathID = PathID(rawValue: 0),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.settings = settings
        self.server = server
        self.account = account
        self.path = path
        self.retransmission = RetransmissionTimer(settings.firstTimeout)
        self.random = random
    }

    package var allocation: TURNAllocation? {
        guard case .relaying(let allocation, _, _) = self.state else { return nil }
        return allocation
    }

    package var isClosed: Bool { self.state == .closed }
}

// MARK: - What the shell says

extension TURNClient {
    /// The transport is open: ask for an allocation.
    package mutating func start(at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        guard self.state == .idle else { return }
        self.state = .allocating
        self.send(.allocate, at: now, into: &outbox)
    }

    /// The transport that `reopen` asked for is there.
    package mutating func opened(at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        guard self.state == .reopening else { return }
        self.state = .allocating
        self.send(.allocate, at: now, into: &outbox)
    }

    /// The transport is gone, or never came to be.
    package mutating func disconnected(into outbox: inout Outbox<TURNEvent>) {
        guard self.state != .closed else { return }
        if self.state == .closing { return self.finish(into: &outbox) }
        self.fail(.disconnected, into: &outbox)
    }

    /// Gives the allocation back. `closed` follows, when the server has answered or is given up.
    package mutating func close(at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        switch self.state {
        case .idle, .reopening: self.finish(into: &outbox)
        case .allocating, .relaying:
            self.transactions.removeAll()
            self.state = .closing
            self.send(.close, at: now, into: &outbox)
        case .closing, .closed: return
        }
    }

    /// Changes the credentials from the next request on.
    ///
    /// A server may retryNomination on the name that an allocation was made in; then that one stays until its end.
    package mutating func renew(_ account: TURNAccount) {
        guard account != self.account else { return }
        self.account = account
        self.signature.change(to: account)
    }
}

// MARK: - Time

extension TURNClient {
    /// When `clockAdvanced` wants to be called next.
    package var deadline: Instant? {
        var first = self.transactions.values.lazy.map(\.deadline).min()
        if case .relaying(_, let until, let refresh) = self.state {
            let own = self.isUnderWay(.refresh) ? until : min(until, refresh)
            first = min(first ?? own, own, self.peers.deadline ?? own)
        }
        return first
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout Outbox<TURNEvent>) {
        for id in self.transactions.filter({ $0.value.deadline <= now }).keys.sorted(by: TransactionID.precedes) {
            self.timeOut(id, at: now, into: &outbox)
        }
        guard case .relaying(_, let until, let refresh) = self.state else { return }
        if until <= now { return self.fail(.forgotten, into: &outbox) }
        if refresh <= now, !self.isUnderWay(.refresh) { self.send(.refresh, at: now, into: &outbox) }
        self.renewPeers(at: now, into: &outbox)
    }

    func isUnderWay(_ purpose: TURNTransaction.Purpose) -> Bool {
        self.transactions.values.contains { $0.purpose == purpose }
    }

    private mutating func timeOut(_ id: TransactionID, at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        guard var transaction = self.transactions[id] else { return }
        guard !self.settings.transport.isStream, transaction.sends < RetransmissionTimer.maximumSends else {
            self.transactions[id] = nil
            return self.unanswered(transaction.purpose, at: now, into: &outbox)
        }
        outbox.packets.append(from: self.path, to: self.server, transaction.bytes.span)
        transaction.sends += 1
        transaction.deadline =
            now + RetransmissionTimer.pause(after: transaction.sends, first: transaction.firstPause)
        self.transactions[id] = transaction
    }

    private mutating func unanswered(
        _ purpose: TURNTransaction.Purpose, at now: Instant, into outbox: inout Outbox<TURNEvent>
    ) {
        switch purpose {
        case .allocate: self.fail(.silent, into: &outbox)
        // As long as the allocation lives, the next turn of the clock asks again.
        case .refresh: return
        case .close: self.finish(into: &outbox)
        case .permission(let ip):
            if self.peers.lostPermission(ip, at: now) { outbox.events.append(.forbidden(ip, .silent)) }
        case .channel(let number): self.peers.lostChannel(number, at: now)
        }
    }
}

// MARK: - Ends

extension TURNClient {
    mutating func fail(_ failure: TURNFailure, into outbox: inout Outbox<TURNEvent>) {
        outbox.events.append(.failed(failure))
        self.finish(into: &outbox)
    }

    mutating func finish(into outbox: inout Outbox<TURNEvent>) {
        self.state = .closed
        self.transactions.removeAll()
        self.peers = TURNPeers()
        self.messages = STUNStream()
        outbox.events.append(.closed)
    }
}

extension TransactionID {
    /// An order, whichever: a run can be repeated only if nothing depends on how a dictionary lies.
    static func precedes(_ left: TransactionID, _ right: TransactionID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
