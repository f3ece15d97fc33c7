internal import Bytes
package import STUN
package import Vocabulary

/// Asks one STUN server a few times what address it sees us at, and how long that takes.
///
/// Nothing is repeated: a request that stays without an answer is a lost one, and is counted.
package struct BindingProbe: ~Copyable, Sendable {
    package struct Findings: Hashable, Sendable {
        /// One for each request that was answered, in the order of the requests.
        package var roundTrips: [Duration] = []
        package var requests = 0
        package var mapped: SocketAddress?
        /// The server's second address and second port, where it can help to find out what NATs do (RFC 5780 §7.4).
        package var other: SocketAddress?
        package var software: String?
        /// What it said instead of an answer.
        package var refusal: STUNErrorCode?

        package init() {}

        package var isReachable: Bool { !self.roundTrips.isEmpty }
        package var lost: Int { self.requests - self.roundTrips.count }
        package var fastest: Duration? { self.roundTrips.min() }
        package var slowest: Duration? { self.roundTrips.max() }

        package var median: Duration? {
            guard !self.roundTrips.isEmpty else { return nil }
            let sorted = self.roundTrips.sorted()
            let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
            return (low + high) / 2
        }
    }

    package struct Settings: Hashable, Sendable {
        package var requests: Int
        package var interval: Duration
        /// So long after the last request nothing more is expected.
        package var timeout: Duration

        package init(
            requests: Int = 5, interval: Duration = .milliseconds(100), timeout: Duration = .milliseconds(1500)
        ) {
            self.requests = requests
            self.interval = interval
            self.timeout = timeout
        }
    }

    package let server: SocketAddress
    package let path: PathID
    package private(set) var findings = Findings()
    package private(set) var isDone = false

    private let settings: Settings
    private var waiting: [TransactionID: Instant] = [:]
    private var next: Instant?
    private var random: any RandomNumberGenerator & Sendable

    package init(
        of server: SocketAddress, path: PathID = PathID(rawValue: 0), settings: Settings = Settings(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.server = server
        self.path = path
        self.settings = settings
        self.random = random
    }

    package mutating func start(at now: Instant, into packets: inout PacketQueue) {
        guard self.findings.requests == 0 else { return }
        self.ask(at: now, into: &packets)
    }

    package var deadline: Instant? { self.isDone ? nil : self.next }

    package mutating func clockAdvanced(to now: Instant, into packets: inout PacketQueue) {
        guard !self.isDone, let next = self.next, next <= now else { return }
        guard self.findings.requests < self.settings.requests else { return self.finish() }
        self.ask(at: now, into: &packets)
    }

    /// False when the message is not for this probe.
    package mutating func received(_ message: STUNMessage, at now: Instant) -> Bool {
        guard let sent = self.waiting.removeValue(forKey: message.transaction) else { return false }
        switch message.type.class {
        case .success where message.mappedAddress != nil:
            self.findings.roundTrips.append(sent.duration(to: now))
            self.findings.mapped = message.mappedAddress
            self.findings.other = message.address(of: .otherAddress)
            self.findings.software = message.text(of: .software)
        case .error: self.findings.refusal = message.errorCode
        case .success, .request, .indication: return true
        }
        if self.waiting.isEmpty, self.findings.requests == self.settings.requests { self.finish() }
        return true
    }

    private mutating func ask(at now: Instant, into packets: inout PacketQueue) {
        let id = TransactionID(using: &self.random)
        var message = packets.begin(.request, STUNMethod.binding, id)
        message.appendFingerprint()
        packets.finish(message, from: self.path, to: self.server)
        self.waiting[id] = now
        self.findings.requests += 1
        let isLast = self.findings.requests == self.settings.requests
        self.next = now + (isLast ? self.settings.timeout : self.settings.interval)
    }

    private mutating func finish() {
        self.isDone = true
        self.next = nil
        self.waiting.removeAll()
    }
}
