/// One element of a list such as `gzip;q=0.5, br` (RFC 9110 §5.6).
package struct HTTPListItem: Hashable, Sendable {
    package struct Parameter: Hashable, Sendable {
        package let name: String
        /// Nil when it had no equals sign; without its quotes when it had some.
        package let value: String?
    }

    package let name: String
    package let parameters: [Parameter]

    /// Every element of the list. Nil when it is malformed or has more than `limit` elements or parameters.
    package static func parse(_ text: String, limit: Int = 32) -> [HTTPListItem]? {
        var scanner = HTTPListScanner(bytes: Array(text.utf8))
        return scanner.items(limit: limit)
    }
}

/// Reads a list once from the front.
private struct HTTPListScanner {
    let bytes: [UInt8]
    var index = 0

    mutating func items(limit: Int) -> [HTTPListItem]? {
        var items: [HTTPListItem] = []
        while true {
            // Empty elements are tolerated (RFC 9110 §5.6.1.2).
            while self.skip(ASCII.comma) {}
            guard self.index < self.bytes.count else { return items }
            guard items.count < limit, let item = self.item(limit: limit) else { return nil }
            items.append(item)
            guard self.index == self.bytes.count || self.skip(ASCII.comma) else { return nil }
        }
    }

    private mutating func item(limit: Int) -> HTTPListItem? {
        guard let name = self.token() else { return nil }
        var parameters: [HTTPListItem.Parameter] = []
        while self.skip(ASCII.semicolon) {
            guard parameters.count < limit, let parameter = self.parameter() else { return nil }
            parameters.append(parameter)
        }
        return HTTPListItem(name: name, parameters: parameters)
    }

    private mutating func parameter() -> HTTPListItem.Parameter? {
        guard let name = self.token() else { return nil }
        guard self.skip(ASCII.equals) else { return HTTPListItem.Parameter(name: name, value: nil) }
        let isQuoted = self.index < self.bytes.count && self.bytes[self.index] == ASCII.quote
        guard let value = isQuoted ? self.quoted() : self.token() else { return nil }
        return HTTPListItem.Parameter(name: name, value: value)
    }

    private mutating func token() -> String? {
        let start = self.index
        while self.index < self.bytes.count, self.bytes[self.index].isToken { self.index += 1 }
        let token = self.bytes[start..<self.index]
        self.skipBlanks()
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        self.index += 1
        while self.index < self.bytes.count {
            var byte = self.bytes[self.index]
            self.index += 1
            if byte == ASCII.quote {
                self.skipBlanks()
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                guard self.index < self.bytes.count else { return nil }
                byte = self.bytes[self.index]
                self.index += 1
            }
            text.append(byte)
        }
        return nil
    }

    /// Moves past white space, one such byte, and white space again. False when another byte is next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        self.skipBlanks()
        guard self.index < self.bytes.count, self.bytes[self.index] == byte else { return false }
        self.index += 1
        self.skipBlanks()
        return true
    }

    private mutating func skipBlanks() {
        while self.index < self.bytes.count, self.bytes[self.index].isBlank { self.index += 1 }
    }
}
