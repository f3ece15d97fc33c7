// Attributes about where media comes from.

/// Something said about one source of RTP (RFC 5576 §4.1).
package struct SDPSource: SDPAttribute {
    package static let name = "ssrc"
    package let ssrc: UInt32
    /// `cname` and others.
    package let attribute: String
    package let text: String?

    package init(_ ssrc: UInt32, _ attribute: String, _ text: String?) {
        self.ssrc = ssrc
        self.attribute = attribute
        self.text = text
    }

    package init?(_ value: Substring) {
        let words = value.words(atMost: 2)
        guard words.count == 2, let ssrc = words[0].number(UInt32.self) else { return nil }
        let sides = words[1].parts(between: UInt8(ascii: ":"), atMost: 2)
        guard sides[0].isToken else { return nil }
        self.init(ssrc, String(sides[0]), sides.count == 2 ? String(sides[1]) : nil)
    }

    package var value: String { "\(self.ssrc) \(self.attribute)\(self.text.map { ":\($0)" } ?? "")" }
}

/// Sources that belong together (RFC 5576 §4.2): media and its repetitions, `FID`.
package struct SDPSourceGroup: SDPAttribute {
    package static let name = "ssrc-group"
    package let semantics: String
    package let sources: [UInt32]

    package init(_ semantics: String, _ sources: [UInt32]) {
        self.semantics = semantics
        self.sources = sources
    }

    package init?(_ value: Substring) {
        let words = value.words()
        let sources = words.dropFirst().compactMap { $0.number(UInt32.self) }
        guard words[0].isToken, sources.count == words.count - 1 else { return nil }
        self.init(String(words[0]), sources)
    }

    package var value: String {
        self.sources.isEmpty
            ? self.semantics : "\(self.semantics) \(self.sources.map { "\($0)" }.joined(separator: " "))"
    }
}

/// The stream and the track that media belongs to (RFC 8830 §2).
package struct SDPStreamID: SDPAttribute {
    package static let name = "msid"
    /// `-` for a track of no stream.
    package let stream: String
    package let track: String?

    package init(_ stream: String, track: String? = nil) {
        self.stream = stream
        self.track = track
    }

    package init?(_ value: Substring) {
        let words = value.words()
        // Tokens by the grammar; one browser puts braces around them, which the grammar has no place for.
        guard words.count <= 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(String(words[0]), track: words.count == 2 ? String(words[1]) : nil)
    }

    package var value: String { self.track.map { "\(self.stream) \($0)" } ?? self.stream }
}
