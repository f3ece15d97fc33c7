import JSON

/// What stands between the brackets of an event or an ack.
struct ArgumentList {
    let name: Range<Int>?
    let range: Range<Int>
    let count: Int
    /// Where each attachment is meant, by its number.
    let placeholders: [Range<Int>]
}

/// Walks once over the payload of an event or an ack.
///
/// In a binary packet it also proves the placeholders (`{"_placeholder":true,"num":0}`): every attachment is meant
/// by exactly one of them. Advisories CVE-2022-2421 and CVE-2023-32695 tell what happens otherwise.
struct ArgumentWalk: ~Escapable {
    private var scanner: JSONScanner
    private let bytes: Span<UInt8>
    /// Nil for packets whose placeholders, if any, are only data.
    private let attachments: Int?
    private var depthLeft: Int
    /// Where a placeholder has claimed an attachment, by the attachment's number.
    private var claimed: [Int: Range<Int>] = [:]

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at offset: Int, attachments: Int?, depth: Int) {
        self.scanner = JSONScanner(bytes, at: offset, depth: depth - 1)
        self.bytes = bytes
        self.attachments = attachments
        self.depthLeft = depth - 1
    }

    mutating func list(isNamed: Bool) throws(SocketPacketError) -> ArgumentList {
        guard self.scanner.skip(UInt8(ascii: "[")) else { throw self.error(.wrongPayload) }
        let name = isNamed ? try self.name() : nil
        self.scanner.skipSpace()
        let isEmpty = isNamed ? !self.scanner.skip(UInt8(ascii: ",")) : self.scanner.peek == UInt8(ascii: "]")
        self.scanner.skipSpace()
        let start = self.scanner.offset
        var end = start
        var count = 0
        if !isEmpty {
            repeat {
                self.scanner.skipSpace()
                _ = try self.value()
                end = self.scanner.offset
                count += 1
            } while self.scanner.skip(UInt8(ascii: ","))
        }
        guard self.scanner.skip(UInt8(ascii: "]")) else { throw SocketPacketError(self.scanner.surprise) }
        do { try self.scanner.finish() } catch { throw SocketPacketError(error) }
        let placeholders = (0..<(self.attachments ?? 0)).compactMap { self.claimed[$0] }
        guard placeholders.count == self.attachments ?? 0 else { throw self.error(.illegalPlaceholder) }
        return ArgumentList(name: name, range: start..<end, count: count, placeholders: placeholders)
    }

    private mutating func name() throws(SocketPacketError) -> Range<Int> {
        let value = try self.plainValue()
        switch value.kind {
        case .number:
            return value.range
        case .string:
            guard !Self.isReserved(value.range, in: self.bytes) else {
                throw SocketPacketError(.reservedEvent, at: value.range.lowerBound)
            }
            return value.range
        case .object, .array, .bool, .null:
            throw SocketPacketError(.wrongPayload, at: value.range.lowerBound)
        }
    }

    private static func isReserved(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        // Only these letters, or an escape, can begin a reserved name.
        switch bytes[range.lowerBound + 1] {
        case UInt8(ascii: "c"), UInt8(ascii: "d"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "\\"):
            let reader = JSONReader(bytes)
            return Self.reserved.contains { reader.isString(at: range, equalTo: $0) }
        default:
            return false
        }
    }

    private static let reserved = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]

    private mutating func value() throws(SocketPacketError) -> JSONValue {
        guard self.attachments != nil else { return try self.plainValue() }
        switch self.scanner.peek {
        case UInt8(ascii: "{"): return try self.object()
        case UInt8(ascii: "["): return try self.array()
        default: return try self.plainValue()
        }
    }

    private mutating func array() throws(SocketPacketError) -> JSONValue {
        let start = try self.enter(UInt8(ascii: "["))
        if !self.scanner.skip(UInt8(ascii: "]")) {
            repeat {
                self.scanner.skipSpace()
                _ = try self.value()
            } while self.scanner.skip(UInt8(ascii: ","))
            guard self.scanner.skip(UInt8(ascii: "]")) else { throw SocketPacketError(self.scanner.surprise) }
        }
        self.depthLeft += 1
        return JSONValue(.array, at: start..<self.scanner.offset)
    }

    private mutating func object() throws(SocketPacketError) -> JSONValue {
        let start = try self.enter(UInt8(ascii: "{"))
        var marks = PlaceholderMarks()
        if !self.scanner.skip(UInt8(ascii: "}")) {
            repeat {
                let key = try self.key()
                self.scanner.skipSpace()
                marks.note(key, try self.value(), in: self.bytes)
            } while self.scanner.skip(UInt8(ascii: ","))
            guard self.scanner.skip(UInt8(ascii: "}")) else { throw SocketPacketError(self.scanner.surprise) }
        }
        self.depthLeft += 1
        try self.claim(marks, at: start..<self.scanner.offset)
        return JSONValue(.object, at: start..<self.scanner.offset)
    }

    private mutating func enter(_ bracket: UInt8) throws(SocketPacketError) -> Int {
        let start = self.scanner.offset
        guard self.depthLeft > 0 else { throw self.error(.notJSON(.tooDeep)) }
        self.depthLeft -= 1
        _ = self.scanner.skip(bracket)
        return start
    }

    private mutating func claim(_ marks: PlaceholderMarks, at range: Range<Int>) throws(SocketPacketError) {
        guard marks.isPlaceholder else { return }
        guard let number = marks.number, number >= 0, number < self.attachments ?? 0,
            self.claimed[number] == nil
        else { throw self.error(.illegalPlaceholder) }
        self.claimed[number] = range
    }

    private mutating func plainValue() throws(SocketPacketError) -> JSONValue {
        do { return try self.scanner.value() } catch { throw SocketPacketError(error) }
    }

    private mutating func key() throws(SocketPacketError) -> Range<Int> {
        do { return try self.scanner.key() } catch { throw SocketPacketError(error) }
    }

    private func error(_ reason: SocketPacketError.Reason) -> SocketPacketError {
        SocketPacketError(reason, at: self.scanner.offset)
    }
}

/// What the members of one object say about its being a placeholder.
///
/// Names are compared as their receivers will read them, escapes resolved, and a true placeholder holds its two
/// members once and nothing else, so that no receiver can read it in another way than we do.
private struct PlaceholderMarks {
    private var members = 0
    private var claims = 0
    private var isTrue = false
    private(set) var number: Int?

    var isPlaceholder: Bool { self.isTrue }

    mutating func note(_ key: Range<Int>, _ value: JSONValue, in bytes: Span<UInt8>) {
        let reader = JSONReader(bytes)
        self.members += 1
        if reader.isString(at: key, equalTo: "_placeholder") {
            self.claims += 1
            self.isTrue = self.isTrue || reader.bool(value) == true
        } else if reader.isString(at: key, equalTo: "num") {
            self.number = reader.integer(value)
        }
        if self.members > 2 || self.claims > 1 { self.number = nil }
    }
}
