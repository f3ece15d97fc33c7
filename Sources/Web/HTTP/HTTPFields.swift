internal import Bytes

/// Header fields in the order they came.
///
/// All text lies in one block and an entry says where, so that a parsed head costs two allocations
/// however many fields it has. A `String` comes to be only when a value is asked for. The block is made of whole lines:
/// fields that were only added are written with one copy.
package struct HTTPFields: Sendable {
    private struct Entry {
        var name: Range<UInt32>
        var value: Range<UInt32>
    }

    private var block: [UInt8] = []
    private var entries: [Entry] = []
    /// Whether the block is what is written, from its first byte to its last.
    private var isAsWritten = true

    package init() {}

    package var count: Int { self.entries.count }
    package var isEmpty: Bool { self.entries.isEmpty }

    /// The first value of a name. Setting replaces all values of the name; nil removes them.
    package subscript(name: HTTPFieldName) -> String? {
        get { self.firstIndex(of: name, from: 0).map { self.value(at: $0) } }
        set {
            if let newValue { self.set(name, to: newValue) } else { self.remove(name) }
        }
    }

    package func contains(_ name: HTTPFieldName) -> Bool { self.firstIndex(of: name, from: 0) != nil }

    package func isRepeated(_ name: HTTPFieldName) -> Bool {
        guard let first = self.firstIndex(of: name, from: 0) else { return false }
        return self.firstIndex(of: name, from: first + 1) != nil
    }

    /// Every value of a name, in order.
    package func values(of name: HTTPFieldName) -> [String] {
        var values: [String] = []
        var index = self.firstIndex(of: name, from: 0)
        while let found = index {
            values.append(self.value(at: found))
            index = self.firstIndex(of: name, from: found + 1)
        }
        return values
    }

    package mutating func append(_ name: HTTPFieldName, _ value: String) {
        let start = self.block.count
        self.block.append(contentsOf: name.text.utf8)
        let colon = self.block.count
        self.block.append(ASCII.colon)
        self.block.append(ASCII.space)
        let range = self.appendValue(value)
        self.block.appendLineEnd()
        self.entries.append(Entry(name: Self.narrow(start..<colon), value: Self.narrow(range)))
    }

    private mutating func appendValue(_ value: String) -> Range<Int> {
        let start = self.block.count
        self.block.append(contentsOf: value.utf8)
        // A line break in a value would begin a header line of its own; RFC 9110 §5.5 has it replaced by a space.
        for index in start..<self.block.count where self.block[index].isControl && self.block[index] != ASCII.tab {
            self.block[index] = ASCII.space
        }
        let whole = start..<self.block.count
        let trimmed = self.block.span.trimmingBlanks(whole)
        if trimmed != whole { self.isAsWritten = false }
        return trimmed
    }

    /// Replaces all values of a name by one, in the place of the first.
    package mutating func set(_ name: HTTPFieldName, to value: String) {
        guard let index = self.firstIndex(of: name, from: 0) else { return self.append(name, value) }
        self.append(name, value)
        self.isAsWritten = false
        let entry = self.entries.removeLast()
        self.entries[index] = entry
        self.remove(name, from: index + 1)
    }

    package mutating func remove(_ name: HTTPFieldName) {
        self.remove(name, from: 0)
    }

    // The text of what is removed stays in the block: fields live for one message.
    private mutating func remove(_ name: HTTPFieldName, from start: Int) {
        while let index = self.firstIndex(of: name, from: start) {
            self.entries.remove(at: index)
            self.isAsWritten = false
        }
    }

    /// Without those whose names are among the others'.
    func without(_ others: HTTPFields) -> HTTPFields {
        guard self.entries.contains(where: { self.hasName(of: $0, among: others) }) else { return self }
        var rest = self
        rest.entries.removeAll { self.hasName(of: $0, among: others) }
        rest.isAsWritten = false
        return rest
    }

    private func hasName(of entry: Entry, among others: HTTPFields) -> Bool {
        let name = self.block.span.extracting(Self.wide(entry.name))
        let block = others.block.span
        return others.entries.contains { block.matchesIgnoringCase(name, in: Self.wide($0.name)) }
    }

    private func firstIndex(of name: HTTPFieldName, from start: Int) -> Int? {
        let block = self.block.span
        let wanted = name.text.utf8.span
        var index = start
        while index < self.entries.count {
            if block.matchesIgnoringCase(wanted, in: Self.wide(self.entries[index].name)) { return index }
            index += 1
        }
        return nil
    }

    private func value(at index: Int) -> String {
        self.block.span.text(in: Self.wide(self.entries[index].value))
    }

    private static func wide(_ range: Range<UInt32>) -> Range<Int> { Int(range.lowerBound)..<Int(range.upperBound) }

    private static func narrow(_ range: Range<Int>) -> Range<UInt32> {
        UInt32(range.lowerBound)..<UInt32(range.upperBound)
    }
}

// MARK: Lists

extension HTTPFields {
    /// Whether a comma-separated list holds a token, in any of the name's lines and in any case.
    package func hasToken(_ token: String, in name: HTTPFieldName) -> Bool {
        let wanted = token.utf8.span
        let block = self.block.span
        var index = self.firstIndex(of: name, from: 0)
        while let found = index {
            let range = Self.wide(self.entries[found].value)
            if block.listHas(wanted, in: range) { return true }
            index = self.firstIndex(of: name, from: found + 1)
        }
        return false
    }
}

extension Span<UInt8> {
    fileprivate func listHas(_ token: Span<UInt8>, in range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start <= range.upperBound {
            let end = self.firstIndex(of: ASCII.comma, in: start..<range.upperBound) ?? range.upperBound
            if self.matchesIgnoringCase(token, in: self.trimmingBlanks(start..<end)) { return true }
            start = end + 1
        }
        return false
    }
}

// MARK: Reading

extension HTTPFields {
    /// Reads the lines of a head or a trailer section, from `start` up to and without its empty line.
    ///
    /// The section was scanned before (`HTTPSectionScanner`), so every line ends with CRLF and holds no
    /// other control character than the tab.
    init(parsing section: Span<UInt8>, from start: Int, limit: Int) throws(HTTPParseError) {
        var index = start
        let end = section.count - 2
        self.entries.reserveCapacity(16)
        while index < end {
            guard self.entries.count < limit else { throw HTTPParseError(.tooManyFields, at: index) }
            guard let lineEnd = section.firstIndex(of: ASCII.carriageReturn, in: index..<section.count) else { break }
            self.entries.append(try Self.entry(section, line: index..<lineEnd, origin: start))
            index = lineEnd + 2
        }
        self.block.reserveCapacity(section.count - start)
        self.block.append(copying: section.extracting(start..<section.count))
        // Values may have had any white space around them.
        self.isAsWritten = false
    }

    private static func entry(
        _ section: Span<UInt8>, line: Range<Int>, origin: Int
    ) throws(HTTPParseError) -> Entry {
        let first = line.lowerBound
        // A folded line continues the one before in some programs and not in others (RFC 9112 §5.2).
        guard !section[first].isBlank else { throw HTTPParseError(.foldedLine, at: first) }
        var colon = first
        while colon < line.upperBound, section[colon].isToken { colon += 1 }
        guard colon < line.upperBound, section[colon] == ASCII.colon, colon > first else {
            let isBlank = colon < line.upperBound && section[colon].isBlank
            throw HTTPParseError(isBlank ? .blankBeforeColon : .invalidFieldName, at: colon)
        }
        let value = section.trimmingBlanks((colon + 1)..<line.upperBound)
        return Entry(
            name: self.narrow((first - origin)..<(colon - origin)),
            value: self.narrow((value.lowerBound - origin)..<(value.upperBound - origin))
        )
    }
}

// MARK: Writing

extension HTTPFields {
    /// Appends one line for each field.
    package func write(into bytes: inout [UInt8]) {
        if self.isAsWritten { return bytes.append(contentsOf: self.block) }
        let block = self.block.span
        for entry in self.entries {
            bytes.append(copying: block.extracting(Self.wide(entry.name)))
            bytes.append(ASCII.colon)
            bytes.append(ASCII.space)
            bytes.append(copying: block.extracting(Self.wide(entry.value)))
            bytes.append(ASCII.carriageReturn)
            bytes.append(ASCII.lineFeed)
        }
    }
}

extension HTTPFields: Sequence {
    package func makeIterator() -> AnyIterator<(name: String, value: String)> {
        var index = 0
        return AnyIterator {
            guard index < self.entries.count else { return nil }
            defer { index += 1 }
            return (self.block.span.text(in: Self.wide(self.entries[index].name)), self.value(at: index))
        }
    }
}

/// Equal when the same names (in any case) have the same values in the same order.
extension HTTPFields: Equatable {
    package static func == (one: HTTPFields, other: HTTPFields) -> Bool {
        one.elementsEqual(other) { left, right in
            left.name.lowercased() == right.name.lowercased() && left.value == right.value
        }
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        // Enough for the head of an answer, with what is added to it later.
        self.entries.reserveCapacity(8)
        self.block.reserveCapacity(320)
        for (name, value) in elements { self.append(name, value) }
    }
}
