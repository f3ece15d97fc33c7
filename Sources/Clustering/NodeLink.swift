internal import BinaryCoding
internal import Bytes
package import Vocabulary

/// One connection between two nodes, from its first byte: both sides prove that they have the cluster's secret without saying it, then each
/// frame proves that it is the next one.
///
///     dialer   ──hello(nonce)──▶             acceptor
///              ◀──answer(nonce, proof)──
///              ──proof──▶
///              ◀──messages, acknowledgements──▶
package struct NodeLink: Sendable {
    package enum Event: Hashable, Sendable {
        /// The other side has proven itself.
        case opened(RandomToken)
        case message(NodeMessage)
        /// What came of this series was received up to there.
        case acknowledged(series: UInt64, through: UInt64)
    }

    private enum State: Sendable {
        /// Waits for the answer to its hello. Can become: open, closed.
        case dialed
        /// Waits for a hello. Can become: answered, closed.
        case listening
        /// Waits for the proof. Can become: open, closed.
        case answered(peer: RandomToken, transcript: [UInt8])
        /// Can become: closed.
        case open(outgoing: NodeSeal, incoming: NodeSeal)
        case closed
    }

    private static let version: UInt8 = 1
    private static let nonceBytes = 16

    private let own: RandomToken
    private let seal: NodeSeal
    private let nonce: [UInt8]
    /// Whom a dialer wants.
    private let wanted: RandomToken?
    private var state: State
    private var reader = LinkFrameReader()
    private var sent: UInt64 = 0
    private var heard: UInt64 = 0

    /// - Parameter nonce: sixteen bytes that nobody can foretell.
    package init(dialing peer: RandomToken, as own: RandomToken, _ seal: NodeSeal, nonce: [UInt8]) {
        precondition(nonce.count == Self.nonceBytes, "a nonce of \(nonce.count) bytes")
        (self.own, self.seal, self.nonce, self.wanted, self.state) = (own, seal, nonce, peer, .dialed)
    }

    package init(acceptingAs own: RandomToken, _ seal: NodeSeal, nonce: [UInt8]) {
        precondition(nonce.count == Self.nonceBytes, "a nonce of \(nonce.count) bytes")
        (self.own, self.seal, self.nonce, self.wanted, self.state) = (own, seal, nonce, nil, .listening)
    }

    package var isOpen: Bool { if case .open = self.state { true } else { false } }

    /// What a dialer begins with.
    package func hello() -> [UInt8] {
        guard let wanted else { return [] }
        var body = ByteWriter()
        body.put(Self.version, self.own, wanted)
        body.write(contentsOf: self.nonce)
        return LinkFrame.plain(.hello, body.bytes)
    }

    /// Reads what came.
    ///
    /// - Parameter answer: what is to be sent back.
    package mutating func received(
        _ bytes: Span<UInt8>, answer: inout [UInt8], events: inout [Event]
    ) throws(LinkError) {
        var reader = self.reader
        do throws(LinkError) {
            try reader.read(bytes) { reader, kind, body throws(LinkError) in
                try self.take(kind, body, &answer, &events)
                if self.isOpen { reader.limit = LinkFrame.maximumBytes }
            }
        } catch {
            self.state = .closed
            throw error
        }
        self.reader = reader
    }

    private mutating func take(
        _ kind: UInt8, _ body: Span<UInt8>, _ answer: inout [UInt8], _ events: inout [Event]
    ) throws(LinkError) {
        switch (self.state, LinkFrame.Kind(rawValue: kind)) {
        case (.listening, .hello): answer += try self.takeHello(Array(copying: body))
        case (.dialed, .answer): answer += try self.takeAnswer(Array(copying: body), &events)
        case (.answered(let peer, let transcript), .proof):
            guard self.seal.isCode(body, of: Label.proof.span, transcript.span) else { throw .wrongProof }
            self.open(transcript, isDialer: false)
            events.append(.opened(peer))
        case (.open(_, let incoming), _): try self.takeFrame(kind, body, incoming, &events)
        case (.dialed, _), (.listening, _), (.answered, _), (.closed, _): throw .malformed
        }
    }
}

// MARK: - The proofs

extension NodeLink {
    private enum Label {
        static let answer = Array("parley node link: answer\n".utf8)
        static let proof = Array("parley node link: proof\n".utf8)
        static let fromDialer = Array("parley node link: from the dialer\n".utf8)
        static let fromAcceptor = Array("parley node link: from the acceptor\n".utf8)
    }

    private mutating func takeHello(_ body: [UInt8]) throws(LinkError) -> [UInt8] {
        var reader = ByteReader(body.span)
        guard let version = try? reader.take(UInt8.self) else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion }
        guard let peer = try? reader.take(RandomToken.self), let wanted = try? reader.take(RandomToken.self),
            reader.remaining == Self.nonceBytes
        else { throw .malformed }
        guard wanted == self.own else { throw .otherNode }
        let transcript = body + self.nonce
        self.state = .answered(peer: peer, transcript: transcript)
        return LinkFrame.plain(.answer, self.nonce + self.seal.code(of: Label.answer.span, transcript.span))
    }

    private mutating func takeAnswer(_ body: [UInt8], _ events: inout [Event]) throws(LinkError) -> [UInt8] {
        guard body.count == Self.nonceBytes + NodeSeal.codeBytes, let wanted = self.wanted else { throw .malformed }
        let transcript = Array(self.hello().dropFirst(LinkFrame.headBytes)) + body[..<Self.nonceBytes]
        let code = body.span.extracting(Self.nonceBytes..<body.count)
        guard self.seal.isCode(code, of: Label.answer.span, transcript.span) else { throw .wrongProof }
        self.open(transcript, isDialer: true)
        events.append(.opened(wanted))
        return LinkFrame.plain(.proof, self.seal.code(of: Label.proof.span, transcript.span))
    }

    private mutating func open(_ transcript: [UInt8], isDialer: Bool) {
        let dialers = self.seal.derived(for: Label.fromDialer + transcript)
        let acceptors = self.seal.derived(for: Label.fromAcceptor + transcript)
        self.state = .open(outgoing: isDialer ? dialers : acceptors, incoming: isDialer ? acceptors : dialers)
    }
}

// MARK: - Frames

extension NodeLink {
    private mutating func takeFrame(
        _ kind: UInt8, _ body: Span<UInt8>, _ incoming: NodeSeal, _ events: inout [Event]
    ) throws(LinkError) {
        let count = body.count - NodeSeal.codeBytes
        guard count >= 0 else { throw .malformed }
        self.heard += 1
        let content = body.extracting(first: count)
        let place = Self.place(self.heard, kind)
        guard incoming.isCode(body.extracting(count..<body.count), of: place.span, content) else { throw .forged }
        switch LinkFrame.Kind(rawValue: kind) {
        case .message:
            guard let message = try? NodeMessage(decoding: content) else { throw .malformed }
            events.append(.message(message))
        case .acknowledgement:
            var reader = ByteReader(content)
            guard let series = try? reader.take(UInt64.self), let number = try? reader.take(UInt64.self) else {
                throw .malformed
            }
            events.append(.acknowledged(series: series, through: number))
        case .hello, .answer, .proof: throw .malformed
        // What a later version says is for those of a later version.
        case nil: return
        }
    }

    /// What stands before the body under the code: so no frame can be taken for another one.
    private static func place(_ number: UInt64, _ kind: UInt8) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } + [kind]
    }

    /// A frame with a message as it is on its way; nil while the link is not open, and for what is too long.
    package mutating func frame(_ message: [UInt8]) -> [UInt8]? {
        self.frame(kind: LinkFrame.Kind.message.rawValue, message)
    }

    package mutating func frame(acknowledging series: UInt64, through number: UInt64) -> [UInt8]? {
        var body = ByteWriter()
        body.put(series, number)
        return self.frame(kind: LinkFrame.Kind.acknowledgement.rawValue, body.bytes)
    }

    mutating func frame(kind: UInt8, _ body: [UInt8]) -> [UInt8]? {
        let count = body.count + NodeSeal.codeBytes
        guard case .open(let outgoing, _) = self.state, count <= LinkFrame.maximumBytes else { return nil }
        self.sent += 1
        let head = LinkFrame.head(kind, count)
        var frame: [UInt8] = []
        frame.reserveCapacity(LinkFrame.headBytes + count)
        for index in head.indices { frame.append(head[index]) }
        frame += body
        frame += outgoing.code(of: Self.place(self.sent, kind).span, body.span)
        return frame
    }
}
