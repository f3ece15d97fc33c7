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

    fileprivate var text: String? {
        unsafe self.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }
}
