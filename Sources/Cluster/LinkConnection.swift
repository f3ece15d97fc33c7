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
    /// Since when something was sent that the other side has not said to have.
    private var waitsSince: Instant?
    private var owesReceipt = false

    /// For the proofs of both sides.
    static let proofTimeout = Duration.seconds(5)
    /// Each side says something every second.
    static let silence = Duration.seconds(3)
    /// Behind a parcel its receiver says within `receiptDelay` that it has it.
    static let receiptTimeout = Duration.seconds(1)
    static let receiptDelay = Duration.milliseconds(50)
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
    func send(_ parcel: [UInt8]) -> Bool {
        guard self.isOpen, self.stream.queuedBytes <= Self.maximumQueuedBytes, let frame = self.machine.frame(parcel)
        else { return false }
        self.stream.write(frame.span)
        if self.waitsSince == nil {
            self.waitsSince = self.now
            if self.timer == nil { self.watchReceipts(Self.receiptTimeout) }
        }
        return true
    }

    /// Says what came of a series, which also says that this side is here.
    func say(receivedOf series: UInt64, through number: UInt64) {
        self.owesReceipt = false
        if let frame = self.machine.frame(receivedOf: series, through: number) { self.stream.write(frame.span) }
    }

    /// A receipt soon, for all that comes until then.
    func owe() {
        guard !self.owesReceipt else { return }
        self.owesReceipt = true
        self.stream.reactor.schedule(after: Self.receiptDelay) { [weak self] in
            guard let self, self.owesReceipt else { return }
            self.links.sayReceived(over: self)
        }
    }

    /// - Parameter hasAll: whether the other side has all that was sent.
    func heardReceipt(hasAll: Bool) { self.waitsSince = hasAll ? nil : self.now }

    private func watchReceipts(_ time: Duration) {
        self.timer = self.stream.reactor.schedule(after: time) { [weak self] in
            guard let self else { return }
            self.timer = nil
            guard let since = self.waitsSince else { return }
            let left = self.now.duration(to: since + Self.receiptTimeout)
            if left <= .zero { self.stream.abort() } else { self.watchReceipts(left) }
        }
    }

    /// Every second.
    func beat() {
        if self.lastHeard + Self.silence <= self.now { return self.stream.abort() }
        if self.machine.isOpen { self.links.sayReceived(over: self) }
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
        case .letter(let parcel): if let peer = self.peer { self.links.received(parcel, from: peer, over: self) }
        case .received(let series, let number):
            if let peer = self.peer { self.links.received(series, through: number, by: peer, over: self) }
        }
    }

    func peerFinished() { self.stream.close() }
    func drained() {}

    func ended(_ end: StreamEnd) {
        if let timer = self.timer.take() { self.stream.reactor.cancel(timer) }
        self.links.ended(self)
    }
}
