// Attributes about media: what it is made of, which way it flows.

/// Which way media flows, as the one who says it sees it (RFC 8866 §6.7).
package enum SDPDirection: String, Hashable, Sendable, CaseIterable {
    case sendReceive = "sendrecv"
    case sendOnly = "sendonly"
    case receiveOnly = "recvonly"
    case inactive

    package init(sends: Bool, receives: Bool) {
        switch (sends, receives) {
        case (true, true): self = .sendReceive
        case (true, false): self = .sendOnly
        case (false, true): self = .receiveOnly
        case (false, false): self = .inactive
        }
    }

    package var sends: Bool { self == .sendReceive || self == .sendOnly }
    package var receives: Bool { self == .sendReceive || self == .receiveOnly }

    /// As the other side sees it.
    package var reversed: SDPDirection { SDPDirection(sends: self.receives, receives: self.sends) }
}

/// What a payload type stands for (RFC 8866 §6.6).
package struct SDPRTPMap: SDPAttribute {
    package static let name = "rtpmap"
    package let payloadType: UInt8
    package let encoding: String
    package let clockRate: UInt32
    /// Only said for sound; 1 where it is missing.
    package let channels: UInt8

    package init(_ payloadType: UInt8, _ encoding: String, clockRate: UInt32, channels: UInt8 = 1) {
        self.payloadType = payloadType
        self.encoding = encoding
        self.clockRate = clockRate
        self.channels = channels
    }

    package init?(_ value: Substring) {
        let words = value.words()
        guard words.count == 2, let payloadType = words[0].number(UInt8.self), payloadType < 128 else { return nil }
        let parts = words[1].parts(between: UInt8(ascii: "/"))
        guard (2...3).contains(parts.count), parts[0].isToken, let clockRate = parts[1].number(UInt32.self),
            clockRate > 0
        else { return nil }
        let channels = parts.count == 3 ? parts[2].number(UInt8.self) : 1
        guard let channels, channels > 0 else { return nil }
        self.init(payloadType, String(parts[0]), clockRate: clockRate, channels: channels)
    }

    package var value: String {
        let channels = self.channels == 1 ? "" : "/\(self.channels)"
        return "\(self.payloadType) \(self.encoding)/\(self.clockRate)\(channels)"
    }

    package func isEncoding(_ name: String) -> Bool { self.encoding.lowercased() == name.lowercased() }
}

/// The parameters of a format (RFC 8866 §6.15): names and values for most, something of its own for others.
package struct SDPFormatParameters: SDPAttribute {
    package static let name = "fmtp"
    package let format: String
    /// As it was said: `minptime=10;useinbandfec=1`, or for RED `111/111`.
    package let text: String

    package init(_ format: String, _ text: String) {
        self.format = format
        self.text = text
    }

    package init?(_ value: Substring) {
        let words = value.words(atMost: 2)
        guard words.count == 2, words[0].isToken, !words[1].isEmpty else { return nil }
        self.init(String(words[0]), String(words[1]))
    }

    package var value: String { "\(self.format) \(self.text)" }

    /// All of them, their names in lower case; the value is empty for one that is only named.
    package var pairs: [(name: String, value: Substring)] {
        self.text.parts(between: UInt8(ascii: ";")).filter { !$0.isEmpty }.map { part in
            let sides = part.parts(between: UInt8(ascii: "="), atMost: 2)
            return (sides[0].trimmingSpaces.lowercased(), sides.count == 2 ? sides[1].trimmingSpaces : "")
        }
    }

    /// The value of a parameter, the name in whatever case; empty for one that is only named.
    package subscript(name: String) -> Substring? {
        let name = name.lowercased()
        return self.pairs.first { $0.name == name }?.value
    }

    package func number(_ name: String) -> Int? { self[name].flatMap { Self.number($0) } }

    /// What a value says, if it has nothing but digits.
    package static func number(_ value: Substring) -> Int? { value.number() }
}

/// What receivers may say about media (RFC 4585 §4.2).
package struct SDPFeedback: SDPAttribute {
    package static let name = "rtcp-fb"
    /// Nil for all of them, which is written as a star.
    package let payloadType: UInt8?
    /// `nack`, `nack pli`, `transport-cc` and others.
    package let kind: String

    package init(_ payloadType: UInt8?, _ kind: String) {
        self.payloadType = payloadType
        self.kind = kind
    }

    package init?(_ value: Substring) {
        // Pion leaves a space where it has no parameter.
        let words = value.words().filter { !$0.isEmpty }
        guard words.count >= 2 else { return nil }
        if words[0] == "*" {
            self.payloadType = nil
        } else {
            guard let payloadType = words[0].number(UInt8.self), payloadType < 128 else { return nil }
            self.payloadType = payloadType
        }
        self.kind = words[1...].joined(separator: " ")
    }

    package var value: String { "\(self.payloadType.map { "\($0)" } ?? "*") \(self.kind)" }
}

/// The number that stands for an extension of RTP's header (RFC 8285 §8).
package struct SDPHeaderExtension: SDPAttribute {
    package static let name = "extmap"
    package static let audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    package static let mediaID = "urn:ietf:params:rtp-hdrext:sdes:mid"
    package static let transportSequence =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

    /// 1 to 14 for the short form, to 255 for the long one; above 4095 it only asks for a number.
    package let id: UInt16
    package let direction: SDPDirection?
    package let uri: String
    /// What the extension wants to say besides: `vad=on`.
    package let attributes: String?

    package init(_ id: UInt16, _ uri: String, direction: SDPDirection? = nil, attributes: String? = nil) {
        self.id = id
        self.direction = direction
        self.uri = uri
        self.attributes = attributes
    }

    package init?(_ value: Substring) {
        let words = value.words(atMost: 3)
        guard words.count >= 2, !words[1].isEmpty else { return nil }
        let parts = words[0].parts(between: UInt8(ascii: "/"))
        guard let id = parts[0].number(UInt16.self), (1...255).contains(id) || (4096...4351).contains(id) else {
            return nil
        }
        var direction: SDPDirection?
        if parts.count > 1 {
            direction = SDPDirection(rawValue: String(parts[1]))
            guard parts.count == 2, direction != nil else { return nil }
        }
        self.init(id, String(words[1]), direction: direction, attributes: words.count == 3 ? String(words[2]) : nil)
    }

    package var value: String {
        let direction = self.direction.map { "/\($0.rawValue)" } ?? ""
        let attributes = self.attributes.map { " \($0)" } ?? ""
        return "\(self.id)\(direction) \(self.uri)\(attributes)"
    }
}
