internal import Bytes
package import STUN
package import Vocabulary

/// Finds out what the NATs before us do, with the help of a server that has two addresses (RFC 5780 §4).
///
/// All questions that do not depend on each other's answers are asked at once: after two round trips and one timeout
/// everything is known. Two sockets are needed: `main`, through which the server was asked before, and `fresh`, which
/// was not used yet.
package struct NATProbe: ~Copyable, Sendable {
    package static let main = PathID(rawValue: 0)
    package static let fresh = PathID(rawValue: 1)

    private enum Question: Hashable, CaseIterable {
        /// Ask the other address at the first port, and at the other port.
        case otherAddress, otherPlace
        /// Let the server know the fresh socket.
        case opening
        /// Let it answer from elsewhere.
        case fromOtherPlace, fromOtherPort
        /// Does what the fresh socket sends to the main one's outer address arrive there?
        case hairpin
    }

    private struct Asked {
        let id: TransactionID
        var sends = 0
        var next: Instant
        var answer: SocketAddress?
        var isOver = false
    }

    package let server: SocketAddress
    package let other: SocketAddress
    /// How the server sees the main socket.
    package let mapped: SocketAddress
    package private(set) var findings = NATFindings()
    package private(set) var isDone = false

    private var asked: [Question: Asked] = [:]
    private let pause: Duration
    private var random: any RandomNumberGenerator & Sendable

    /// Each question is sent so often before no answer is an answer.
    private static let maximumSends = 5

    /// - Parameters:
    ///   - local: the main socket's own address, as far as it is known.
    ///   - roundTrip: how long an answer took.
    package init(
        server: SocketAddress, other: SocketAddress, mapped: SocketAddress, local: SocketAddress?, roundTrip: Duration,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.server = server
        self.other = other
        self.mapped = mapped
        self.pause = min(max(roundTrip * 2, .milliseconds(100)), .seconds(1))
        self.random = random
        self.findings.isTranslated = local.map { $0 != mapped }
    }

    package mutating func start(at now: Instant, into packets: inout PacketQueue) {
        guard self.asked.isEmpty else { return }
        self.ask(.otherAddress, at: now, into: &packets)
        self.ask(.otherPlace, at: now, into: &packets)
        self.ask(.opening, at: now, into: &packets)
        if self.findings.isTranslated != false { self.ask(.hairpin, at: now, into: &packets) }
    }

    package var deadline: Instant? {
        self.isDone ? nil : self.asked.values.lazy.filter { !$0.isOver }.map(\.next).min()
    }

    package mutating func clockAdvanced(to now: Instant, into packets: inout PacketQueue) {
        for question in Question.allCases {
            guard let asked = self.asked[question], !asked.isOver, asked.next <= now else { continue }
            if asked.sends < Self.maximumSends {
                self.send(question, at: now, into: &packets)
            } else {
                self.settle(question, nil, at: now, into: &packets)
            }
        }
    }
}

// MARK: - Asking

extension NATProbe {
    private mutating func ask(_ question: Question, at now: Instant, into packets: inout PacketQueue) {
        self.asked[question] = Asked(id: TransactionID(using: &self.random), next: now)
        self.send(question, at: now, into: &packets)
    }

    private mutating func send(_ question: Question, at now: Instant, into packets: inout PacketQueue) {
        guard var asked = self.asked[question] else { return }
        var message = packets.begin(.request, STUNMethod.binding, asked.id)
        switch question {
        case .fromOtherPlace: message.append([.ip, .port])
        case .fromOtherPort: message.append(STUNChangeRequest.port)
        case .otherAddress, .otherPlace, .opening, .hairpin: break
        }
        message.appendFingerprint()
        packets.finish(message, from: Self.path(of: question), to: self.target(of: question))
        asked.sends += 1
        // The last one is waited for longer: a late answer is an answer, too.
        asked.next = now + self.pause * (asked.sends == Self.maximumSends ? 3 : 1)
        self.asked[question] = asked
    }

    private static func path(of question: Question) -> PathID {
        switch question {
        case .otherAddress, .otherPlace: self.main
        case .opening, .fromOtherPlace, .fromOtherPort, .hairpin: self.fresh
        }
    }

    private func target(of question: Question) -> SocketAddress {
        switch question {
        case .otherAddress: SocketAddress(self.other.ip, port: self.server.port)
        case .otherPlace: self.other
        case .opening, .fromOtherPlace, .fromOtherPort: self.server
        case .hairpin: self.mapped
        }
    }

    /// From where an answer has to come. A server that answers from elsewhere has not understood the question.
    private func source(of question: Question) -> SocketAddress? {
        switch question {
        case .otherAddress, .otherPlace, .opening: self.target(of: question)
        case .fromOtherPlace: self.other
        case .fromOtherPort: SocketAddress(self.server.ip, port: self.other.port)
        case .hairpin: nil
        }
    }
}

// MARK: - Answers

extension NATProbe {
    /// False when the message is not for this probe.
    package mutating func received(
        _ message: STUNMessage, from peer: SocketAddress, on path: PathID, at now: Instant,
        into packets: inout PacketQueue
    ) -> Bool {
        guard let question = self.asked.first(where: { $0.value.id == message.transaction })?.key else { return false }
        guard self.asked[question]?.isOver == false else { return true }
        switch (message.type.class, question) {
        case (.request, .hairpin) where path == Self.main:
            self.settle(question, peer, at: now, into: &packets)
        case (.success, _) where peer == self.source(of: question) && path == Self.path(of: question):
            self.settle(question, message.mappedAddress, at: now, into: &packets)
        case (.error, _) where question != .hairpin:
            self.settle(question, nil, at: now, into: &packets)
        default: break
        }
        return true
    }

    /// It is answered, or it never will be.
    private mutating func settle(
        _ question: Question, _ answer: SocketAddress?, at now: Instant, into packets: inout PacketQueue
    ) {
        self.asked[question]?.isOver = true
        self.asked[question]?.answer = answer
        if question == .opening, answer != nil {
            self.ask(.fromOtherPlace, at: now, into: &packets)
            self.ask(.fromOtherPort, at: now, into: &packets)
        }
        guard self.asked.values.allSatisfy(\.isOver) else { return }
        self.isDone = true
        self.conclude()
    }

    private mutating func conclude() {
        self.findings.mapping = self.mapping
        if self.asked[.opening]?.answer != nil { self.findings.filtering = self.filtering }
        if self.findings.isTranslated != false { self.findings.hairpins = self.asked[.hairpin]?.answer != nil }
    }

    private var mapping: NATDependence? {
        guard let there = self.asked[.otherAddress]?.answer, let elsewhere = self.asked[.otherPlace]?.answer else {
            return nil
        }
        if there == self.mapped { return .endpointIndependent }
        return elsewhere == there ? .addressDependent : .addressAndPortDependent
    }

    private var filtering: NATDependence {
        if self.asked[.fromOtherPlace]?.answer != nil { return .endpointIndependent }
        return self.asked[.fromOtherPort]?.answer != nil ? .addressDependent : .addressAndPortDependent
    }
}
