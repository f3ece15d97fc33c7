import Bytes
import STUN
import Vocabulary

/// Whatever comes, a message is refused or can be read to the last attribute, and what is written from it is read as
/// the same.
enum STUNFuzz {
    private static let key = STUNKey(shortTerm: "VOkJxbRl1RmTxUk/WvJxBt")
    private static let peer = SocketAddress(.loopback, port: 4711)

    @Sendable static func run(_ bytes: [UInt8]) {
        let input = FuzzInput(bytes)
        self.stream(input.bytes)
        self.channelData(input.bytes)
        self.responder(input.bytes)
        guard let first = self.rewrite(input.bytes) else { return }
        guard let second = self.rewrite(first) else { return demand(false, "what was written cannot be read") }
        demand(first == second, "a message came back changed")
    }

    private static func rewrite(_ bytes: [UInt8]) -> [UInt8]? {
        guard let message = try? STUNMessage(parsing: bytes.span) else { return nil }
        var writer = STUNWriter(message.type.class, message.type.method, message.transaction)
        var attributes = message.attributes
        while let attribute = attributes.next() {
            self.read(attribute, of: message)
            demand(attribute.range.upperBound <= bytes.count, "an attribute leaves the message")
            writer.append(attribute.type, bytes.span.extracting(attribute.range))
        }
        self.read(message)
        if message.has(.sha1) { writer.appendIntegrity(self.key) }
        if message.has(.sha256) { writer.appendIntegritySHA256(self.key) }
        if message.hasFingerprint { writer.appendFingerprint() }
        return writer.finish().bytes
    }

    private static func read(_ attribute: STUNAttribute, of message: STUNMessage) {
        _ = message.address(in: attribute)
        _ = message.text(of: attribute.type)
        _ = message.number(of: attribute.type, as: UInt64.self)
        demand(message.has(attribute.type), "an attribute cannot be found")
    }

    private static func read(_ message: STUNMessage) {
        _ = message.isAuthentic(self.key)
        _ = message.hasRightFingerprint
        _ = message.errorCode
        _ = message.errorReason
        _ = message.unknownAttributes
        _ = message.addressError
        _ = message.passwordAlgorithm
        _ = message.responsePort
        if let challenge = STUNChallenge(message) {
            _ = STUNAuthentication(username: "anna", password: "secret", challenge: challenge)
        }
    }

    private static func responder(_ bytes: [UInt8]) {
        var answer = ByteWriter()
        var random = SystemRandomNumberGenerator()
        var responder = BindingResponder(using: &random)
        let now = Instant(nanoseconds: 0)
        guard responder.answer(bytes.span, from: self.peer, at: now, into: &answer) else { return }
        demand(answer.count <= 3 * bytes.count, "an answer of \(answer.count) bytes to \(bytes.count)")
        demand((try? STUNMessage(parsing: answer.bytes.span)) != nil, "an answer cannot be read")
    }

    private static func channelData(_ bytes: [UInt8]) {
        guard let data = try? ChannelData(parsing: bytes.span) else { return }
        var writer = ByteWriter()
        ChannelData.write(data.payload, on: data.channel, padded: false, to: &writer)
        demand(writer.bytes == Array(bytes.prefix(writer.count)), "channel data came back changed")
    }

    private static func stream(_ bytes: [UInt8]) {
        var rest = bytes.span
        while let length = try? STUNFraming.length(of: rest), length <= rest.count {
            demand(length >= 4, "a packet of \(length) bytes")
            rest = rest.extracting(length...)
        }
    }
}
