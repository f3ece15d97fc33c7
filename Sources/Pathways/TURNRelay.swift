internal import Bytes
package import ICE
package import Reactor
package import Vocabulary

/// Who is told what a relay does, always on its loop.
package protocol TURNRelayHandler: AnyObject {
    func happened(_ event: TURNEvent, at relay: TURNRelay)
    /// The bytes are lent for the time of the call.
    func received(_ payload: Span<UInt8>, from peer: SocketAddress, through relay: TURNRelay)
}

/// A TURN client at work: carries out what the machine wants.
package final class TURNRelay: ServerConnectionHandler {
    private var client: TURNClient
    private let trust: ServerTrust
    private let reactor: Reactor
    private var line: ServerConnection?
    private var handler: (any TURNRelayHandler)?
    private var outbox = Outbox<TURNEvent>()
    private let deadlineTimer: DeadlineTimer

    package init(
        _ settings: TURNSettings, server: SocketAddress, account: TURNAccount, trust: ServerTrust, on reactor: Reactor,
        handler: any TURNRelayHandler
    ) {
        self.client = TURNClient(settings, server: server, account: account)
        self.trust = trust
        self.reactor = reactor
        self.deadlineTimer = DeadlineTimer(on: reactor)
        self.handler = handler
    }

    package var allocation: TURNAllocation? { self.client.allocation }

    package func start() { self.openLine() }

    @discardableResult
    package func send(_ payload: Span<UInt8>, to peer: SocketAddress) -> Bool {
        let isOnItsWay = self.client.send(payload, to: peer, at: SteadyClock.now, into: &self.outbox)
        self.carryOut()
        return isOnItsWay
    }

    package func permit(_ ip: IPAddress) { self.act { $0.permit(ip, at: $1, into: &$2) } }
    package func bindChannel(to peer: SocketAddress) { self.act { $0.bindChannel(to: peer, at: $1, into: &$2) } }
    package func renew(_ account: TURNAccount) { self.client.renew(account) }
    /// Gives the allocation back; `closed` is the last event.
    package func close() { self.act { $0.close(at: $1, into: &$2) } }

    private func openLine() {
        self.line?.close()
        let line = ServerConnection(
            self.client.settings.transport, to: self.client.server, trust: self.trust, on: self.reactor, handler: self)
        self.line = line
        line.open()
    }

    private func act(_ body: (inout TURNClient, Instant, inout Outbox<TURNEvent>) -> Void) {
        body(&self.client, SteadyClock.now, &self.outbox)
        self.carryOut()
    }

    private func carryOut() {
        for packet in self.outbox.packets.packets {
            self.outbox.packets.withBytes(of: packet) { self.line?.send($0) }
        }
        let events = self.outbox.events
        self.outbox.removeAll()
        for event in events { self.carryOut(event) }
        self.deadlineTimer.set(self.client.deadline, for: self)
    }

    private func carryOut(_ event: TURNEvent) {
        if case .reopen = event { return self.openLine() }
        self.handler?.happened(event, at: self)
        guard event == .closed else { return }
        self.handler = nil
        // What was sent last leaves at the end of this turn.
        self.reactor.schedule(after: .zero) { self.line.take()?.close() }
    }
}

extension TURNRelay: DeadlineTimerOwner {
    func deadlineReached() { self.act { $0.clockAdvanced(to: $1, into: &$2) } }
}

// MARK: - The line

extension TURNRelay {
    package func opened(_ line: ServerConnection) {
        guard line === self.line else { return }
        self.act { client, now, outbox in
            client.start(at: now, into: &outbox)
            client.opened(at: now, into: &outbox)
        }
    }

    package func received(_ bytes: Span<UInt8>, on line: ServerConnection) {
        guard line === self.line else { return }
        // Who hears of it may want to answer at once, and the machine does one thing after the other.
        var arrivals: [(peer: SocketAddress, payload: [UInt8])] = []
        self.client.receive(bytes, at: SteadyClock.now, into: &self.outbox) { peer, payload in
            arrivals.append((peer, [UInt8](copying: payload)))
        }
        self.carryOut()
        for arrival in arrivals { self.handler?.received(arrival.payload.span, from: arrival.peer, through: self) }
    }

    package func ended(_ reason: String, _ line: ServerConnection) {
        guard line === self.line else { return }
        self.act { client, _, outbox in client.disconnected(into: &outbox) }
    }
}
