/// A session description as JSEP uses it (RFC 8866, RFC 9429 §5): what is said of the whole session, then a section for
/// each medium.
///
/// It keeps every line, understood or not, in its order; text that was read is written the same again.
package struct SDPDescription: Hashable, Sendable, SDPLevel {
    /// Those before the first section.
    package var lines: [SDPLine]
    package var media: [SDPMedia]

    init(lines: [SDPLine], media: [SDPMedia]) {
        self.lines = lines
        self.media = media
    }

    /// With what every description has to have (RFC 9429 §5.2.1).
    package init(origin: SDPOrigin) {
        self.lines = [SDPLine("v", "0"), SDPLine("o", origin.text), SDPLine("s", "-"), SDPLine("t", "0 0")]
        self.media = []
    }

    /// Every line with its end, ready to be sent.
    package var text: String {
        var text = ""
        self.write(to: &text)
        for section in self.media { section.writeSection(to: &text) }
        return text
    }

    /// Nil when somebody took the line away; what was parsed has one.
    package var origin: SDPOrigin? {
        get { self.lines.first { $0.letter == "o" }.flatMap { SDPOrigin($0.text) } }
        set {
            let place = self.lines.firstIndex { $0.letter == "o" } ?? min(1, self.lines.count)
            self.lines.removeAll { $0.letter == "o" }
            if let newValue { self.lines.insert(SDPLine("o", newValue.text), at: place) }
        }
    }

    /// The sections that share one transport, by their names, the one whose transport it is first (RFC 9143). Each entry
    /// is a group of its own.
    package var bundles: [[String]] {
        self.all(SDPGroup.self).filter { $0.semantics == "BUNDLE" }.map(\.mediaIDs)
    }

    package func index(of mediaID: SDPMediaID) -> Int? {
        self.media.firstIndex { $0.mediaID == mediaID }
    }

    /// What is said for one section: by itself, or for all of them at the head.
    package func first<Attribute: SDPAttribute>(
        _: Attribute.Type = Attribute.self, for section: SDPMedia
    ) -> Attribute? {
        section.first() ?? self.first()
    }

    /// All of a section's own, or else all of the head's.
    package func all<Attribute: SDPAttribute>(
        _: Attribute.Type = Attribute.self, for section: SDPMedia
    ) -> [Attribute] {
        let own: [Attribute] = section.all()
        return own.isEmpty ? self.all() : own
    }

    /// Both ways, when nobody says anything (RFC 8866 §6.7).
    package func direction(of section: SDPMedia) -> SDPDirection {
        section.direction ?? self.direction ?? .sendReceive
    }
}

/// Who made a description, and which version of it this is (RFC 8866 §5.2).
package struct SDPOrigin: Hashable, Sendable {
    package let userName: String
    /// Digits; as many as somebody likes, so they are kept as they are.
    package let session: String
    /// Grows with each description of the session (RFC 9429 §5.2.2).
    package var version: UInt64
    /// Network, kind of address and address, which mean nothing here.
    package let place: String

    package init(session: UInt64, version: UInt64 = 1) {
        self.userName = "-"
        // 63 bits, for those who read it with a sign (RFC 9429 §5.2.1).
        self.session = String(session & UInt64(Int64.max))
        self.version = version
        self.place = "IN IP4 0.0.0.0"
    }

    init?(_ text: String) {
        let words = text.words(atMost: 4)
        guard words.count == 4, !words[0].isEmpty, words[1].isDigits, let version = words[2].number(UInt64.self),
            words[3].words().count == 3, !words[3].words().contains("")
        else { return nil }
        self.userName = String(words[0])
        self.session = String(words[1])
        self.version = version
        self.place = String(words[3])
    }

    var text: String { "\(self.userName) \(self.session) \(self.version) \(self.place)" }
}
