internal import CSockets
internal import CUV
package import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// One TCP connection on its loop.
///
///     open ──close()──▶ finishing ──all written──▶ lingering ──peer finished / 2 s──▶ closed
///       └──abort(), an error, a slow reader, all written after the peer finished──────▲
@safe package final class TCPConnection: SocketWatch, ByteStream, EndOfTurn {
    private enum State {
        /// Can become: finishing, broken, closed.
        case open
        /// Writes out what is queued, reads nothing. Can become: lingering, closed.
        case finishing
        /// All is written and the peer knows; wait for its own end, so that no reset overtakes our last
        /// bytes. Can become: closed.
        case lingering
        /// The peer has reset it: nothing is read or written any more, and the handler hears of it when there is
        /// time. Can become: closed.
        case broken
        case closed
    }

    private var isOver: Bool { self.state == .closed || self.state == .broken || self.isFailing }

    package let peer: SocketAddress
    /// One for all connections of a server.
    package var policy = WritePolicy.standard
    /// Its client is not in yet: when many come at once, what it sends is read when it is its turn.
    package var isNewcomer = false
    private var isInLine = false

    private var state = State.open
    private var handler: (any StreamHandler)?
    private var queue = OutboundQueue()
    /// How many bytes the kernel has taken so far.
    private var taken: UInt64 = 0
    private var isGathered = false
    private var isPaused = false
    private var isFull = false
    private var wantsWritable = false
    private var peerHasFinished = false
    /// The queue grew past its limit in the middle of a caller's loop over many connections; the end waits for
    /// the end of the turn, so that no list changes while it is walked.
    private var isTooSlow = false
    private var lingerTimer: TimerToken?
    private var stallTimer: TimerToken?

    init(_ fd: Int32, peer: SocketAddress, on reactor: Reactor) throws(ReactorError) {
        self.peer = peer
        try super.init(fd, on: reactor)
        SystemSocket.set(fd, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    package var isEncrypted: Bool { false }
    /// Our end of it, while it is there.
    package var local: SocketAddress? { self.isClosed ? nil : SystemSocket.localAddress(of: self.fd) }
    package var queuedBytes: Int { self.queue.byteCount }
    package var isOpen: Bool { self.state == .open }

    /// Starts delivering to `handler`, and keeps it until `ended`.
    package func start(_ handler: any StreamHandler) {
        self.handler = handler
        self.updateWatch()
    }

    package func replaceHandler(with handler: any StreamHandler) {
        guard self.state != .closed else { return }
        self.handler = handler
    }

    override func readable() {
        guard self.isNewcomer, self.state == .open, !self.isFailing else { return self.readOnce() }
        guard !self.isInLine, self.reactor.serveOrKeep(self) else { return }
        self.isInLine = true
        self.updateWatch()
    }

    func readAsNewcomer() {
        if self.isInLine {
            self.isInLine = false
            self.updateWatch()
        }
        if !self.isClosed, !self.isPaused || self.state != .open { self.readOnce() }
    }

    override func writable() { self.flush() }
    override var failsLater: Bool { true }
    override var isBroken: Bool { self.state == .broken || self.isInLine }
    override func loopEnds() { self.end(.aborted) }

    private func updateWatch() {
        let isListening = self.state == .open && !self.isPaused && !self.peerHasFinished && !self.isInLine
        let reads = self.state == .lingering || isListening
        self.watch(readable: reads, writable: self.wantsWritable)
    }
}

// MARK: - Reading

extension TCPConnection {
    package func pauseReading() {
        self.isPaused = true
        self.updateWatch()
    }

    package func resumeReading() {
        self.isPaused = false
        self.updateWatch()
    }

    /// Reads once: a socket with more to give is ready again in the next turn, after the others.
    private func readOnce() {
        let count = unsafe recv(self.fd, self.reactor.readBuffer.baseAddress, self.reactor.readBuffer.count, 0)
        switch count {
        case 1...: self.deliver(count)
        case 0: self.peerEnded()
        default: self.readFailed(SystemSocket.lastError)
        }
    }

    private func deliver(_ count: Int) {
        guard self.state == .open, let handler = self.handler else { return }
        self.reactor.withReadBuffer(count) { handler.received(&$0) }
        // What was read caused is written while it is still warm; the rest of the turn is written at its end.
        if self.isGathered, !self.isTooSlow, !self.wantsWritable { self.flush() }
    }

    private func peerEnded() {
        self.peerHasFinished = true
        switch self.state {
        case .open:
            self.updateWatch()
            // Without hurry: when thousands are cut at once, what their ends lead to would hold up all others.
            self.reactor.withoutHurry { if self.state == .open { self.handler?.peerFinished() } }
        case .lingering: self.end(.closed)
        case .finishing, .broken, .closed: break
        }
    }

    private func readFailed(_ code: Int32) {
        guard !SystemSocket.isTemporary(code) else { return self.updateWatch() }
        guard self.state == .open else { return self.end(.closed) }
        // It has waited for this.
        if self.isFailing { return self.end(.failed(ReactorError(.read, code: code, "\(self.peer)"))) }
        self.state = .broken
        self.updateWatch()
        self.reactor.withoutHurry { self.end(.failed(ReactorError(.read, code: code, "\(self.peer)"))) }
    }
}

// MARK: - Writing

extension TCPConnection {
    package func write(_ bytes: Span<UInt8>) {
        guard self.state == .open, !self.isTooSlow else { return }
        self.queue.append(bytes, from: &self.reactor.chunks)
        self.queued(self.queue.byteCount)
    }

    package func write(_ head: Span<UInt8>, _ body: Span<UInt8>) {
        guard self.state == .open, !self.isTooSlow else { return }
        if let waiting = self.queue.appendIfRoom(head, body) { return self.queued(waiting) }
        self.queue.append(head, from: &self.reactor.chunks)
        self.queue.append(body, from: &self.reactor.chunks)
        self.queued(self.queue.byteCount)
    }

    package func write(_ shared: SharedBytes) {
        guard self.state == .open, !self.isTooSlow else { return }
        self.queued(self.queue.append(shared))
    }

    private func queued(_ waiting: Int) {
        if waiting > self.policy.value.highWater { self.filledUp(waiting) }
        if !self.wantsWritable { self.gather() }
    }

    private func gather() {
        guard !self.isGathered else { return }
        self.isGathered = true
        self.reactor.atEndOfTurn(self)
    }

    package func turnEnded() {
        self.isGathered = false
        if self.isTooSlow { self.end(.slowReader) } else if !self.wantsWritable { self.flush() }
    }

    private func flush() {
        while !self.queue.isEmpty, !self.isOver {
            let count = self.writeOnce()
            if count < 0 { return self.writeStopped(SystemSocket.lastError) }
            self.taken &+= UInt64(count)
            self.queue.consume(count, returningTo: &self.reactor.chunks)
        }
        self.wroteAll()
    }

    /// As much as the kernel takes, in one call.
    private func writeOnce() -> Int {
        let vector = unsafe self.reactor.writeVector
        let count = unsafe self.queue.gather(into: vector)
        if count == 1 {
            return unsafe send(self.fd, vector[0].iov_base, Int(vector[0].iov_len), SystemSocket.noSignal)
        }
        var message = unsafe msghdr()
        unsafe message.msg_iov = vector.baseAddress
        unsafe message.msg_iovlen = numericCast(count)
        return unsafe sendmsg(self.fd, &message, SystemSocket.noSignal)
    }

    private func writeStopped(_ code: Int32) {
        guard SystemSocket.isTemporary(code) else {
            return self.end(.failed(ReactorError(.write, code: code, "\(self.peer)")))
        }
        self.wantsWritable = true
        self.updateWatch()
        self.fellBelowLowWater()
    }

    private func wroteAll() {
        guard !self.isOver else { return }
        self.wantsWritable = false
        if self.state == .finishing { self.linger() }
        self.updateWatch()
        self.fellBelowLowWater()
    }

    private func filledUp(_ waiting: Int) {
        if waiting > self.policy.value.limit {
            self.isTooSlow = true
            return self.gather()
        }
        guard !self.isFull else { return }
        self.isFull = true
        self.watchForStall()
    }

    private func fellBelowLowWater() {
        guard self.isFull, self.state == .open, self.queue.byteCount <= self.policy.value.lowWater else { return }
        self.isFull = false
        if let timer = self.stallTimer.take() { self.reactor.cancel(timer) }
        self.handler?.drained()
    }

    /// A reader that takes a little now and then may stay; one that takes nothing for a whole stall may not.
    private func watchForStall() {
        self.stallTimer = self.reactor.schedule(after: self.policy.value.stall) { [unowned self, before = self.taken] in
            if self.taken == before { return self.end(.slowReader) }
            self.watchForStall()
        }
    }
}

// MARK: - Closing

extension TCPConnection {
    private static let lingerTime = Duration.seconds(2)

    package func close() {
        guard self.state == .open else { return }
        self.state = .finishing
        if self.queue.isEmpty {
            self.linger()
        } else if self.stallTimer == nil {
            // However little is left: a peer that never reads it must not keep the connection for ever.
            self.watchForStall()
        }
        self.updateWatch()
    }

    package func abort() {
        self.end(.aborted)
    }

    /// Lets go of the socket without closing it, so that another loop can take it up. Nothing is delivered any more.
    /// A connection that has ended, or breaks now, cannot move and stays with its handler.
    package func detach() throws(ReactorError) -> DetachedConnection {
        if self.state == .open { self.flush() }
        guard self.state == .open else { throw ReactorError(.watch, code: UV_ECANCELED.rawValue, "\(self.peer)") }
        // The watch on the old descriptor ends with it; a copy lives on.
        let copy = dup(self.fd)
        guard copy >= 0 else { throw ReactorError(.watch, code: SystemSocket.lastError, "\(self.peer)") }
        let unsent = self.queue.takeAll()
        self.handler = nil
        self.end(.closed)
        return DetachedConnection(
            fd: copy, peer: self.peer, policy: self.policy, isNewcomer: self.isNewcomer, unsent: unsent)
    }

    /// Takes up on this loop what another has let go.
    package convenience init(_ detached: DetachedConnection, on reactor: Reactor) throws(ReactorError) {
        try self.init(detached.fd, peer: detached.peer, on: reactor)
        self.policy = detached.policy
        self.isNewcomer = detached.isNewcomer
        self.write(detached.unsent.span)
    }

    private func linger() {
        guard !self.peerHasFinished else { return self.end(.peerClosed) }
        self.state = .lingering
        shutdown(self.fd, SystemSocket.finishWriting)
        self.lingerTimer = self.reactor.schedule(after: Self.lingerTime) { [unowned self] in self.end(.closed) }
    }

    private func end(_ reason: StreamEnd) {
        guard self.state != .closed else { return }
        self.state = .closed
        if let timer = self.lingerTimer.take() { self.reactor.cancel(timer) }
        if let timer = self.stallTimer.take() { self.reactor.cancel(timer) }
        self.queue.removeAll()
        self.closeSocket()
        self.handler.take()?.ended(reason)
    }
}
