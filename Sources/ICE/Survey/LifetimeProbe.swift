internal import Bytes
package import STUN
package import Vocabulary

/// Finds out how long a NAT keeps an idle binding (RFC 5780 §4.6).
///
/// One socket for each length of time opens a binding and falls silent. When its time has come, another socket asks
/// the server to answer to the silent one: what arrives has still been let in. All lengths are waited for at once, so
/// the whole takes no longer than the longest of them that turns out to matter.
package struct LifetimeProbe: ~Copyable, Sendable {
    /// The socket that asks for the others.
    package static let asking = PathID(rawValue: 0)

    /// The silent socket of a length of time.
    package static func path(of index: Int) -> PathID { PathID(rawValue: index + 1) }

    /// What NATs are known to be set to, and what lies between.
    package static let usualLengths: [Duration] = [20, 30, 45, 60, 90, 120, 180, 240, 300, 400, 600].map {
        .seconds($0)
    }

    fileprivate enum State {
        case opening(TransactionID, sends: Int, next: Instant)
        case silent(mapped: SocketAddress, until: Instant)
        case asking(mapped: SocketAddress, TransactionID, sends: Int, next: Instant)
        case known
        case forgotten
        /// The server did not help.
        case unclear
    }

    package let server: SocketAddress
    package let lengths: [Duration]
    package private(set) var isDone = false

    private var states: [State] = []
    private let pause: Duration
    private var random: any RandomNumberGenerator & Sendable
    private static let maximumSends = 5

    package init(
        server: SocketAddress, lengths: [Duration] = Self.usualLengths, roundTrip: Duration,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.server = server
        self.lengths = lengths.sorted()
        self.pause = min(max(roundTrip * 2, .milliseconds(100)), .seconds(1))
        self.random = random
    }

    /// What is known so far; nil when the server cannot help or nothing was learnt yet.
    package var lifetime: BindingLifetime? {
        var lifetime = BindingLifetime()
        for (length, state) in zip(self.lengths, self.states) {
            if case .known = state { lifetime.known = length }
            if case .forgotten = state {
                lifetime.forgotten = length
                break
            }
        }
        return lifetime.known == .zero && lifetime.forgotten == nil ? nil : lifetime
    }

    package mutating func start(at now: Instant, into packets: inout PacketQueue) {
        guard self.states.isEmpty else { return }
        for index in self.lengths.indices {
            self.states.append(.opening(TransactionID(using: &self.random), sends: 0, next: now))
            self.turn(index, at: now, into: &packets)
        }
    }

    package var deadline: Instant? {
        guard !self.isDone else { return nil }
        return self.states.lazy.compactMap { state in
            switch state {
            case .opening(_, _, let next), .asking(_, _, _, let next): next
            case .silent(_, let until): until
            case .known, .forgotten, .unclear: nil
            }
        }.min()
    }

    package mutating func clockAdvanced(to now: Instant, into packets: inout PacketQueue) {
        for index in self.states.indices where !self.isDone { self.turn(index, at: now, into: &packets) }
    }
}

// MARK: - One socket

extension LifetimeProbe {
    private mutating func turn(_ index: Int, at now: Instant, into packets: inout PacketQueue) {
        switch self.states[index] {
        case .opening(let id, let sends, let next) where next <= now:
            guard sends < Self.maximumSends else { return self.become(.unclear, index) }
            self.send(id, from: Self.path(of: index), to: nil, into: &packets)
            self.states[index] = .opening(id, sends: sends + 1, next: now + self.pause)
        case .silent(let mapped, let until) where until <= now:
            let id = TransactionID(using: &self.random)
            self.states[index] = .asking(mapped: mapped, id, sends: 0, next: now)
            self.turn(index, at: now, into: &packets)
        case .asking(let mapped, let id, let sends, let next) where next <= now:
            guard sends < Self.maximumSends else { return self.become(.forgotten, index) }
            self.send(id, from: Self.asking, to: mapped.port, into: &packets)
            self.states[index] = .asking(mapped: mapped, id, sends: sends + 1, next: now + self.pause)
        case .opening, .silent, .asking, .known, .forgotten, .unclear: return
        }
    }

    private func send(_ id: TransactionID, from path: PathID, to port: UInt16?, into packets: inout PacketQueue) {
        var message = packets.begin(.request, STUNMethod.binding, id)
        if let port { message.append(responsePort: port) }
        message.appendFingerprint()
        packets.finish(message, from: path, to: self.server)
    }

    /// False when the message is not for this probe.
    package mutating func received(_ message: STUNMessage, on path: PathID, at now: Instant) -> Bool {
        for index in self.states.indices {
            switch self.states[index] {
            case .opening(let id, _, _) where id == message.transaction && path == Self.path(of: index):
                if let mapped = message.mappedAddress, message.type.class == .success {
                    self.states[index] = .silent(mapped: mapped, until: now + self.lengths[index])
                } else {
                    self.become(.unclear, index)
                }
                return true
            case .asking(_, let id, _, _) where id == message.transaction:
                // What comes back to the one who asked was not sent where it should have been.
                self.become(path == Self.path(of: index) && message.type.class == .success ? .known : .unclear, index)
                return true
            case .opening, .silent, .asking, .known, .forgotten, .unclear: continue
            }
        }
        return false
    }

    /// A binding that is forgotten after so long is forgotten after longer, too.
    private mutating func become(_ state: State, _ index: Int) {
        self.states[index] = state
        if case .forgotten = state { self.isDone = true }
        if case .unclear = state, index == 0 { self.isDone = true }
        self.isDone = self.isDone || self.states.allSatisfy(\.isOver)
    }
}

extension LifetimeProbe.State {
    fileprivate var isOver: Bool {
        switch self {
        case .known, .forgotten, .unclear: true
        case .opening, .silent, .asking: false
        }
    }
}
