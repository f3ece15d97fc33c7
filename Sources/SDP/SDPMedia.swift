package import Vocabulary

/// One section: what is to be sent, over which transport, in which formats (RFC 8866 §5.14), and the lines below it.
package struct SDPMedia: Hashable, Sendable, SDPLevel {
    /// `audio`, `video`, `application` or another kind.
    package let kind: String
    /// 0 refuses the section, or leaves its transport to its bundle; 9 when the transport's candidates say more.
    package var port: UInt16
    /// How many ports follow one another, in the old way; nil where it is missing.
    package let portCount: UInt16?
    /// `UDP/TLS/RTP/SAVPF` and others.
    package let transport: String
    /// For RTP, payload types as text, the preferred one first.
    package var formats: [String]
    package var lines: [SDPLine] = []

    /// A section that leaves its address to its candidates.
    package init(
        _ kind: String, port: UInt16 = 9, transport: String = "UDP/TLS/RTP/SAVPF", formats: [String]
    ) {
        self.kind = kind
        self.port = port
        self.portCount = nil
        self.transport = transport
        self.formats = formats
        self.lines = [SDPLine("c", "IN IP4 0.0.0.0")]
    }

    /// The text of an `m=` line.
    init?(_ text: String) {
        let words = text.words()
        guard words.count >= 4, words[0].isToken,
            words[2].parts(between: UInt8(ascii: "/")).allSatisfy({ $0.isEmpty || $0.isToken }), !words[2].isEmpty,
            words[3...].allSatisfy(\.isToken)
        else { return nil }
        let ports = words[1].parts(between: UInt8(ascii: "/"), atMost: 2)
        guard let port = ports[0].number(UInt16.self) else { return nil }
        if ports.count == 2 {
            guard let count = ports[1].number(UInt16.self) else { return nil }
            self.portCount = count
        } else {
            self.portCount = nil
        }
        self.kind = String(words[0])
        self.port = port
        self.transport = String(words[2])
        self.formats = words[3...].map { String($0) }
    }

    func writeSection(to text: inout String) {
        let count = self.portCount.map { "/\($0)" } ?? ""
        text += "m=\(self.kind) \(self.port)\(count) \(self.transport) \(self.formats.joined(separator: " "))\r\n"
        self.write(to: &text)
    }
}

// MARK: - What the lines say

extension SDPMedia {
    package var mediaID: SDPMediaID? { self.first() }

    /// This section is rejected (RFC 9429 §5.2.2). Port 0 with `bundle-only` only says whose transport it uses.
    package var isRejected: Bool { self.port == 0 && !self.has(.bundleOnly) }

    /// Where media goes without candidates; nil for names, and for what is said for the whole session.
    package var connection: IPAddress? {
        for line in self.lines where line.letter == "c" {
            let words = line.text.words()
            guard words.count == 3, words[0] == "IN" else { return nil }
            return IPAddress(words[2])
        }
        return nil
    }

    package var rtpMaps: [SDPRTPMap] { self.all() }

    /// What a payload type stands for. Names are compared without regard to case (RFC 4855 §3).
    package func rtpMap(of payloadType: UInt8) -> SDPRTPMap? {
        self.first { $0.payloadType == payloadType }
    }

    /// The parameters of a format.
    package func parameters(of format: String) -> SDPFormatParameters? {
        self.first { $0.format == format }
    }

    /// What receivers of a payload type may say, with what is said for all of them.
    package func feedback(for payloadType: UInt8) -> [SDPFeedback] {
        self.all(SDPFeedback.self).filter { $0.payloadType == nil || $0.payloadType == payloadType }
    }

    /// The identifier under which an extension of RTP's header travels.
    package func headerExtension(_ uri: String) -> SDPHeaderExtension? {
        self.first { $0.uri == uri }
    }

    /// Each as `candidate:…`, which is how they travel between browsers too.
    package var candidates: [String] {
        self.lines.filter { $0.isAttribute("candidate") }.map(\.text)
    }

    /// Takes `candidate:…`.
    package mutating func append(candidate: String) {
        self.lines.append(SDPLine("a", candidate))
    }
}
