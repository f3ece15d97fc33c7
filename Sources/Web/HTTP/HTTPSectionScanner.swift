/// Finds the empty line that ends a head or a trailer section, over as many reads as it takes.
///
/// It is the one place that looks at line ends: a lone CR or LF, which other programs on the way may
/// read as a line end or not, never gets past it, and neither does any other control character.
struct HTTPSectionScanner: Sendable {
    /// Which bytes are being counted right now.
    private enum Stage: Sendable {
        /// Empty lines that may come before a request line.
        case leading
        case startLine
        case fields
    }

    private var stage: Stage
    private var count = 0
    private var emptyLines = 0
    private var lineLength = 0
    private var sawCarriageReturn = false
    private let maximumStartLine: Int
    private let maximumFields: Int
    private let maximumEmptyLines: Int

    /// For a head: a start line, then fields.
    init(startLine: Int, fields: Int, leadingEmptyLines: Int) {
        self.stage = .leading
        self.maximumStartLine = startLine
        self.maximumFields = fields
        self.maximumEmptyLines = leadingEmptyLines
    }

    /// For a trailer section: only fields.
    init(fields: Int) {
        self.stage = .fields
        self.maximumStartLine = 0
        self.maximumFields = fields
        self.maximumEmptyLines = 0
    }

    /// Bytes of empty lines that came before the section.
    var leadingBytes: Int { self.emptyLines * 2 }

    /// True after the first byte of a section.
    var hasBegun: Bool { self.stage != .leading || self.sawCarriageReturn || self.emptyLines > 0 }

    /// Moves past the bytes of the section. True when its last one was found.
    mutating func scan(_ bytes: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> Bool {
        while true {
            self.skipPlain(bytes, from: &offset)
            guard offset < bytes.count else { return false }
            let byte = bytes[offset]
            try self.count(byte, at: offset)
            offset += 1
            if byte > ASCII.space, byte != ASCII.delete, !self.sawCarriageReturn {
                self.lineLength += 1
            } else if try self.takeSpecial(byte, at: offset - 1) {
                return true
            }
        }
    }

    /// Moves past bytes that are nothing special, as far as the limit of the stage allows. Most bytes go this way.
    private mutating func skipPlain(_ bytes: Span<UInt8>, from offset: inout Int) {
        guard self.stage != .leading, !self.sawCarriageReturn else { return }
        let limit = self.stage == .startLine ? self.maximumStartLine : self.maximumFields
        let end = offset + min(bytes.count - offset, max(0, limit - self.count))
        var index = offset
        while index < end, bytes[index] >= ASCII.space, bytes[index] != ASCII.delete { index += 1 }
        self.count += index - offset
        self.lineLength += index - offset
        offset = index
    }

    private mutating func count(_ byte: UInt8, at offset: Int) throws(HTTPParseError) {
        self.count += 1
        switch self.stage {
        case .leading:
            if byte != ASCII.carriageReturn, byte != ASCII.lineFeed { self.stage = .startLine }
        case .startLine:
            guard self.count <= self.maximumStartLine else { throw HTTPParseError(.uriTooLong, at: offset) }
        case .fields:
            guard self.count <= self.maximumFields else { throw HTTPParseError(.headerTooLarge, at: offset) }
        }
    }

    /// A space, a control character, or whatever follows a CR. True at the end of the section.
    private mutating func takeSpecial(_ byte: UInt8, at offset: Int) throws(HTTPParseError) -> Bool {
        if self.sawCarriageReturn {
            guard byte == ASCII.lineFeed else { throw HTTPParseError(.bareCarriageReturn, at: offset - 1) }
            self.sawCarriageReturn = false
            return try self.endLine(at: offset)
        }
        switch byte {
        case ASCII.carriageReturn: self.sawCarriageReturn = true
        case ASCII.lineFeed: throw HTTPParseError(.bareLineFeed, at: offset)
        case ASCII.space, ASCII.tab: self.lineLength += 1
        default: throw HTTPParseError(.controlCharacter, at: offset)
        }
        return false
    }

    private mutating func endLine(at offset: Int) throws(HTTPParseError) -> Bool {
        let isEmpty = self.lineLength == 0
        self.lineLength = 0
        switch self.stage {
        case .leading:
            self.count = 0
            self.emptyLines += 1
            guard self.emptyLines <= self.maximumEmptyLines else {
                throw HTTPParseError(.tooManyEmptyLines, at: offset)
            }
            return false
        case .startLine:
            self.count = 0
            self.stage = .fields
            return false
        case .fields:
            return isEmpty
        }
    }
}
