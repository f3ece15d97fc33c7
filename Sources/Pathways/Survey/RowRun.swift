import ICE
import ICEServers
import Reactor
import STUN
import Vocabulary

/// Looks at one server over one transport that has a line of its own, and asks a TURN server for a relay.
final class RowRun {
    private(set) var row: SurveyReport.Row
    private let account: TURNAccount?
    private let trust: ServerTrust
    private let reactor: Reactor
    private var done: (() -> Void)?
    private var line: ServerConnection?
    private var relay: TURNRelay?
    private var started = Instant(nanoseconds: 0)
    private var messages = STUNStream()
    private var packets = PacketQueue()
    private var probe: BindingProbe
    private var isBindingOver = false
    private let deadlineTimer: DeadlineTimer

    init(
        _ row: SurveyReport.Row, at address: SocketAddress, account: TURNAccount?, trust: ServerTrust,
        on reactor: Reactor, done: @escaping () -> Void
    ) {
        self.row = row
        self.account = account
        self.trust = trust
        self.reactor = reactor
        self.deadlineTimer = DeadlineTimer(on: reactor)
        self.done = done
        self.probe = BindingProbe(of: address)
    }

    /// UDP servers are asked through the socket that all of them share; here only for a relay.
    func start() {
        self.started = SteadyClock.now
        if self.row.transport == .udp {
            self.isBindingOver = true
        } else {
            let line = ServerConnection(
                self.row.transport, to: self.probe.server, trust: self.trust, on: self.reactor, handler: self)
            self.line = line
            line.open()
        }
        self.askForRelay()
    }

    func bound(_ findings: BindingProbe.Findings) { self.row.binding = findings }

    private func askForRelay() {
        guard self.row.url.scheme.needsCredentials, let account = self.account else { return self.finishIfOver() }
        let settings = TURNSettings(
            transport: self.row.transport, families: [.ipv4, .ipv6], firstTimeout: .milliseconds(250))
        let relay = TURNRelay(
            settings, server: self.probe.server, account: account, trust: self.trust, on: self.reactor, handler: self)
        self.relay = relay
        relay.start()
        // A server that is silent is given up sooner than a call would: a person waits for the table.
        self.reactor.schedule(after: .seconds(8)) {
            guard self.row.relay == nil, self.done != nil else { return }
            self.row.relay = .refused(.silent)
            self.relay?.close()
            self.relay = nil
            self.finishIfOver()
        }
    }

    private func finishIfOver() {
        let wantsRelay = self.row.url.scheme.needsCredentials && self.account != nil
        guard self.isBindingOver, !wantsRelay || self.row.relay != nil else { return }
        self.deadlineTimer.cancel()
        self.line.take()?.close()
        // It may end within the call that started it, and its owner counts what it has started.
        let done = self.done.take()
        self.reactor.schedule(after: .zero) { done?() }
    }
}

// MARK: - Binding requests over a line

extension RowRun: ServerConnectionHandler {
    func opened(_ line: ServerConnection) {
        self.row.connecting = self.started.duration(to: SteadyClock.now)
        self.probe.start(at: SteadyClock.now, into: &self.packets)
        self.pump()
    }

    func received(_ bytes: Span<UInt8>, on line: ServerConnection) {
        guard line.transport.isStream else {
            self.heard(bytes)
            return self.pump()
        }
        do {
            try self.messages.take(bytes) {
                self.heard($0)
                return true
            }
            self.pump()
        } catch {
            line.close()
            self.ended("this is no STUN server", line)
        }
    }

    func ended(_ reason: String, _ line: ServerConnection) {
        if !self.row.binding.isReachable { self.row.failure = reason }
        self.line = nil
        self.isBindingOver = true
        self.finishIfOver()
    }

    private func heard(_ bytes: Span<UInt8>) {
        guard let message = try? STUNMessage(parsing: bytes) else { return }
        _ = self.probe.received(message, at: SteadyClock.now)
    }

    private func pump() {
        guard !self.isBindingOver else { return }
        for packet in self.packets.packets { self.packets.withBytes(of: packet) { self.line?.send($0) } }
        self.packets.removeAll()
        self.row.binding = self.probe.findings
        guard !self.probe.isDone else {
            self.isBindingOver = true
            return self.finishIfOver()
        }
        self.deadlineTimer.set(self.probe.deadline, for: self)
    }
}

extension RowRun: DeadlineTimerOwner {
    func deadlineReached() {
        self.probe.clockAdvanced(to: SteadyClock.now, into: &self.packets)
        self.pump()
    }
}

// MARK: - The relay

extension RowRun: TURNRelayHandler {
    func happened(_ event: TURNEvent, at relay: TURNRelay) {
        switch event {
        case .allocated(let allocation):
            self.row.relay = .granted(allocation, after: self.started.duration(to: SteadyClock.now))
            relay.close()
        case .failed(let failure):
            if self.row.relay == nil { self.row.relay = .refused(failure) }
        case .closed: self.relay = nil
        case .permitted, .forbidden, .channelBound, .reopen: return
        }
        self.finishIfOver()
    }

    func received(_ payload: Span<UInt8>, from peer: SocketAddress, through relay: TURNRelay) {}
}
