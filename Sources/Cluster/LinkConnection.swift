internal import Clustering
internal import Reactor
internal import Vocabulary

/// One connection to another node, on its loop: carries what the machine says.
final class LinkConnection: StreamHandler {
    private(set) var peer: RandomToken?
    /// The other side has said what it has, so everything behind that can be sent.
    var isReady = false

    private let stream: any ByteStream
    private unowned let links: NodeLinks
    private var machine: NodeLink
    private var lastHeard: Instant
    private var timer: TimerToken?
    /// Since when something is not acknowledged.
    private var unacknowledgedSince: Instant?
    private var owesAcknowledgement = false

    /// For the proofs of both sides.
    static let proofTimeout = Duration.seconds(5)
    /// Each side says something every second.
    static let idleTimeout = Duration.seconds(3)
    /// Its receiver acknowledges a message within `acknowledgementDelay`.
    static let acknowledgementTimeout = Duration.seconds(1)
    static let acknowledgementDelay = Duration.milliseconds(50)
    /// What may wait for a node that does not read; beyond that the other way is taken.
    static let maximumQueuedBytes = 4 << 20

    init(_ machine: NodeLink, over stream: any ByteStream, _ links: NodeLinks) {
        self.machine = machine
        self.stream = stream
        self.links = links
        self.lastHeard = stream.reactor.instant
        self.timer = stream.reactor.schedule(after: Self.proofTimeout) { [weak self] in self?.tooLate() }
        let hello = machine.hello()
        if !hello.isEmpty { stream.write(hello.span) }
    }

    private var now: Instant { self.stream.reactor.instant }
    var isOpen: Bool { self.machine.isOpen && self.stream.isOpen }

    private func tooLate() {
        self.timer = nil
        if !self.machine.isOpen { self.stream.abort() }
    }

    /// False when it cannot be sent this way.
    func send(_ message: [UInt8]) -> Bool {
        guard self.isOpen, self.stream.queuedBytes <= Self.maximumQueuedBytes, let frame = self.machine.frame(message)
        else { return false }
        self.stream.write(frame.span)
        if self.unacknowledgedSince == nil {
            self.unacknowledgedSince = self.now
            if self.timer == nil { self.watchAcknowledgements(Self.acknowledgementTimeout) }
        }
        return true
    }

    /// Says what came of a series, and with that also that this side is here.
    func acknowledge(_ series: UInt64, through number: UInt64) {
        self.owesAcknowledgement = false
        if let frame = self.machine.frame(acknowledging: series, through: number) { self.stream.write(frame.span) }
    }

    /// One acknowledgement, for all that comes until then.
    func acknowledgeSoon() {
        guard !self.owesAcknowledgement else { return }
        self.owesAcknowledgement = true
        self.stream.reactor.schedule(after: Self.acknowledgementDelay) { [weak self] in
            guard let self, self.owesAcknowledgement else { return }
            self.links.acknowledge(over: self)
        }
    }

    /// - Parameter all: whether the other side has all that was sent.
    func acknowledged(all: Bool) { self.unacknowledgedSince = all ? nil : self.now }

    private func watchAcknowledgements(_ time: Duration) {
        self.timer = self.stream.reactor.schedule(after: time) { [weak self] in
            guard let self else { return }
            self.timer = nil
            guard let since = self.unacknowledgedSince else { return }
            let left = self.now.duration(to: since + Self.acknowledgementTimeout)
            if left <= .zero { self.stream.abort() } else { self.watchAcknowledgements(left) }
        }
    }

    /// Every second.
    func beat() {
        if self.lastHeard + Self.idleTimeout <= self.now { return self.stream.abort() }
        if self.machine.isOpen { self.links.acknowledge(over: self) }
    }

    func close() { self.stream.close() }
    func abort() { self.stream.abort() }
}

extension LinkConnection {
    func received(_ bytes: inout MutableSpan<UInt8>) {
        self.lastHeard = self.now
        var (answer, events) = ([UInt8](), [NodeLink.Event]())
        do throws(LinkError) {
            try self.machine.received(bytes.span, answer: &answer, events: &events)
            if !answer.isEmpty { self.stream.write(answer.span) }
            for event in events { self.took(event) }
        } catch {
            // What came before it counts.
            for event in events { self.took(event) }
            self.links.refused(error, by: self.stream.peer)
            self.stream.abort()
        }
    }

    private func took(_ event: NodeLink.Event) {
        switch event {
        case .opened(let peer):
            self.peer = peer
            if let timer = self.timer.take() { self.stream.reactor.cancel(timer) }
            self.links.opened(self, to: peer)
        case .message(let message): if let peer = self.peer { self.links.received(message, from: peer, over: self) }
        case .acknowledged(let series, let number):
            if let peer = self.peer { self.links.acknowledged(series, through: number, by: peer, over: self) }
        }
    }

    func peerFinished() { self.stream.close() }
    func drained() {}

    func ended(_ end: StreamEnd) {
        if let timer = self.timer.take() { self.stream.reactor.cancel(timer) }
        self.links.ended(self)
    }
}
