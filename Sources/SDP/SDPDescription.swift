internal import Bytes

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

    /// Nil when the line was taken away; what was parsed has one.
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

    /// Both ways, when nothing is said (RFC 8866 §6.7).
    package func direction(of section: SDPMedia) -> SDPDirection {
        section.direction ?? self.direction ?? .sendReceive
    }
}

/// Who made a description, and which version of it this is (RFC 8866 §5.2).
package struct SDPOrigin: Hashable, Sendable {
    package let userName: String
    /// Digits; as many as the sender likes, so they are kept as they are.
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

// MARK: - Parsing

extension SDPDescription {
    /// Reads a description as strictly as it takes for both sides to mean the same, and no stricter: lines may end as
    /// they like, what is unknown is kept, and what only one side needs to understand may be odd.
    package init(parsing bytes: Span<UInt8>, limits: SDPLimits = SDPLimits()) throws(SDPError) {
        var parser = Parser(limits: limits)
        try parser.read(bytes)
        self = try parser.finish(at: bytes.count)
    }

    package init(parsing text: String, limits: SDPLimits = SDPLimits()) throws(SDPError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span, limits: limits)
    }
}

private struct Parser {
    private let limits: SDPLimits
    private var count = 0
    private var head: [SDPLine] = []
    private var media: [SDPMedia] = []
    private var names: Set<SDPMediaID> = []

    init(limits: SDPLimits) {
        self.limits = limits
    }

    mutating func read(_ bytes: Span<UInt8>) throws(SDPError) {
        guard bytes.count <= self.limits.bytes else { throw SDPError(.tooMuch, at: self.limits.bytes) }
        var start = 0
        var blank: Int?
        while start < bytes.count {
            let (line, next) = bytes.line(from: start)
            defer { start = next }
            guard !line.isEmpty else {
                blank = blank ?? start
                continue
            }
            // Empty lines at the end are forgiven, within they are not.
            if let blank { throw SDPError(.badLine, at: blank) }
            try self.take(bytes.extracting(line), at: start)
        }
    }

    private mutating func take(_ bytes: Span<UInt8>, at offset: Int) throws(SDPError) {
        self.count += 1
        guard bytes.count <= self.limits.lineBytes, self.count <= self.limits.lines else {
            throw SDPError(.tooMuch, at: offset)
        }
        guard bytes.count >= 2, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0]), bytes[1] == 0x3D else {
            throw SDPError(.badLine, at: offset)
        }
        for index in bytes.indices where bytes[index] == 0 || bytes[index] == 0x0D {
            throw SDPError(.badLine, at: offset)
        }
        guard let text = bytes.extracting(2...).text else { throw SDPError(.notUTF8, at: offset) }
        try self.take(SDPLine(Unicode.Scalar(bytes[0]), text), at: offset)
    }

    private mutating func take(_ line: SDPLine, at offset: Int) throws(SDPError) {
        guard line.letter != "m" else { return try self.beginSection(line.text, at: offset) }
        try self.check(line, at: offset)
        guard !self.media.isEmpty else { return self.head.append(line) }
        if line.isAttribute(SDPMediaID.name), let value = line.attributeValue, let name = SDPMediaID(value) {
            guard self.names.insert(name).inserted else { throw SDPError(.sameMediaID, at: offset) }
        }
        self.media[self.media.count - 1].lines.append(line)
    }

    private mutating func beginSection(_ text: String, at offset: Int) throws(SDPError) {
        if self.media.isEmpty { try self.checkHead(at: offset) }
        guard let section = SDPMedia(text) else { throw SDPError(.malformed("m"), at: offset) }
        guard self.media.count < self.limits.media else { throw SDPError(.tooMuch, at: offset) }
        self.media.append(section)
    }

    private func check(_ line: SDPLine, at offset: Int) throws(SDPError) {
        switch line.letter {
        case _ where self.count == 1:
            guard line == SDPLine("v", "0") else { throw SDPError(.missing("v"), at: offset) }
        case "v": throw SDPError(.malformed("v"), at: offset)
        case "o":
            let isFirst = self.media.isEmpty && !self.head.contains { $0.letter == "o" }
            guard isFirst, SDPOrigin(line.text) != nil else { throw SDPError(.malformed("o"), at: offset) }
        case "a":
            guard let name = line.attributeName, name.isToken else { throw SDPError(.malformed("a"), at: offset) }
            guard SDPGrammar.allows(line, named: name) else {
                throw SDPError(.badAttribute(String(name)), at: offset)
            }
        default: return
        }
    }

    /// RFC 8866 §5: these there have to be.
    private func checkHead(at offset: Int) throws(SDPError) {
        for letter: Unicode.Scalar in ["v", "o", "s", "t"] where !self.head.contains(where: { $0.letter == letter }) {
            throw SDPError(.missing(letter), at: offset)
        }
    }

    consuming func finish(at end: Int) throws(SDPError) -> SDPDescription {
        if self.media.isEmpty { try self.checkHead(at: end) }
        return SDPDescription(lines: self.head, media: self.media)
    }
}

/// The attributes that both sides have to read alike, or media would flow to the wrong place or in the wrong form. One
/// that says something odd spoils the description (RFC 9429 §5.8); with others, only itself.
private enum SDPGrammar {
    static func allows(_ line: SDPLine, named name: Substring) -> Bool {
        guard let isRight = self.strict[String(name)] else { return true }
        return line.attributeValue.map(isRight) ?? false
    }

    private static let strict: [String: @Sendable (Substring) -> Bool] = [
        SDPUsernameFragment.name: { SDPUsernameFragment($0) != nil },
        SDPPassword.name: { SDPPassword($0) != nil },
        SDPFingerprint.name: { SDPFingerprint($0) != nil },
        SDPSetup.name: { SDPSetup($0) != nil },
        SDPMediaID.name: { SDPMediaID($0) != nil },
        SDPGroup.name: { SDPGroup($0) != nil },
        SDPRTPMap.name: { SDPRTPMap($0) != nil },
        SDPHeaderExtension.name: { SDPHeaderExtension($0) != nil },
    ]
}

extension Span where Element == UInt8 {
    /// The line that begins at `start`, without its end, and where the next one begins. It may end in CRLF or in LF
    /// (RFC 8866 §5), the last one with the text.
    fileprivate func line(from start: Int) -> (line: Range<Int>, next: Int) {
        var end = start
        while end < self.count, self[end] != 0x0A { end += 1 }
        let next = Swift.min(end + 1, self.count)
        if end > start, self[end - 1] == 0x0D { end -= 1 }
        return (start..<end, next)
    }

    fileprivate var text: String? { String(utf8: self) }
}
