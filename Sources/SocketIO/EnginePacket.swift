package import Bytes

/// One Engine.IO packet as it arrived: its kind, and where its content lies in the bytes it came in.
package struct EnginePacket: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case open, close, ping, pong, message, upgrade, noop
    }

    package enum Form: Hashable, Sendable {
        case text
        case binary
        /// Binary that still wears its Base64 dress; only a WebSocket text frame can bring it in this form.
        case base64
    }

    package let kind: Kind
    package let form: Form
    package let body: Range<Int>
    /// A ping or pong that says `probe`: the question and the answer of an upgrade.
    package let isProbe: Bool

    init(_ kind: Kind, _ form: Form = .text, at body: Range<Int>, isProbe: Bool = false) {
        self.kind = kind
        self.form = form
        self.body = body
        self.isProbe = isProbe
    }
}

extension EnginePacket {
    /// A WebSocket text frame is one packet in text. Its bytes are UTF-8 already, or the frame would not be here.
    package init(textFrame bytes: Span<UInt8>, version: EngineVersion) throws(ByteError) {
        try self.init(text: bytes, in: bytes.indices, version: version)
    }

    /// A WebSocket binary frame is one binary message; version 3 puts its type in front.
    package init(binaryFrame bytes: Span<UInt8>, version: EngineVersion) throws(ByteError) {
        switch version {
        case .v4: self.init(.message, .binary, at: bytes.indices)
        case .v3: try self.init(typedBinary: bytes, in: bytes.indices)
        }
    }

    /// The text form that frames and payloads share: a digit and the content, or `b` and Base64.
    init(text bytes: Span<UInt8>, in range: Range<Int>, version: EngineVersion) throws(ByteError) {
        guard let first = range.first else { throw ByteError(.truncated, at: range.lowerBound) }
        guard bytes[first] != UInt8(ascii: "b") else {
            try self.init(base64: bytes, in: range, version: version)
            return
        }
        guard let kind = Kind(digit: bytes[first]) else { throw ByteError(.unexpected(bytes[first]), at: first) }
        let body = range.dropFirst()
        self.init(kind, at: body, isProbe: Self.saysProbe(bytes.extracting(body)))
    }

    /// Version 3 names the type of its Base64 packets (`b4…`), version 4 knows only messages (`b…`).
    private init(base64 bytes: Span<UInt8>, in range: Range<Int>, version: EngineVersion) throws(ByteError) {
        guard version == .v3 else {
            self.init(.message, .base64, at: range.dropFirst())
            return
        }
        guard range.count >= 2 else { throw ByteError(.truncated, at: range.upperBound) }
        let digit = bytes[range.lowerBound + 1]
        guard Kind(digit: digit) == .message else { throw ByteError(.unexpected(digit), at: range.lowerBound + 1) }
        self.init(.message, .base64, at: range.dropFirst(2))
    }

    /// The binary form of version 3: the type as a byte, then the data. Only messages are binary.
    init(typedBinary bytes: Span<UInt8>, in range: Range<Int>) throws(ByteError) {
        guard let first = range.first else { throw ByteError(.truncated, at: range.lowerBound) }
        guard bytes[first] == Kind.message.rawValue else { throw ByteError(.unexpected(bytes[first]), at: first) }
        self.init(.message, .binary, at: range.dropFirst())
    }

    private static func saysProbe(_ body: Span<UInt8>) -> Bool {
        body.count == 5 && body[0] == UInt8(ascii: "p") && body[1] == UInt8(ascii: "r")
            && body[2] == UInt8(ascii: "o") && body[3] == UInt8(ascii: "b") && body[4] == UInt8(ascii: "e")
    }
}

extension EnginePacket.Kind {
    package var digit: UInt8 { UInt8(ascii: "0") + self.rawValue }

    package init?(digit: UInt8) {
        guard digit >= UInt8(ascii: "0") else { return nil }
        self.init(rawValue: digit - UInt8(ascii: "0"))
    }
}
