internal import Bytes

/// The pairs of a query or of a form's body (application/x-www-form-urlencoded).
package struct QueryItems: Equatable, Sendable {
    package struct Item: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package let items: [Item]

    /// Nil when an escape is malformed, when the result is no UTF-8, or when there are more than `limit` pairs.
    package init?(_ text: String, limit: Int = 256) {
        self.init(text.utf8.span, limit: limit)
    }

    package init?(_ bytes: Span<UInt8>, limit: Int = 256) {
        var items: [Item] = []
        var start = 0
        while start <= bytes.count {
            let end = bytes.firstIndex(of: UInt8(ascii: "&"), in: start..<bytes.count) ?? bytes.count
            if end > start {
                guard items.count < limit, let item = Item(bytes, in: start..<end) else { return nil }
                items.append(item)
            }
            start = end + 1
        }
        self.items = items
    }

    /// The first value of a name.
    package subscript(name: String) -> String? {
        self.items.first { $0.name == name }?.value
    }

    package func values(of name: String) -> [String] {
        self.items.filter { $0.name == name }.map(\.value)
    }
}

extension QueryItems.Item {
    fileprivate init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        let equals = bytes.firstIndex(of: ASCII.equals, in: range) ?? range.upperBound
        guard let name = Self.decode(bytes, range.lowerBound..<equals),
            let value = Self.decode(bytes, min(equals + 1, range.upperBound)..<range.upperBound)
        else { return nil }
        self.name = name
        self.value = value
    }

    private static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        if bytes.isPlain(in: range) { return String(utf8: bytes.extracting(range)) }
        var out: [UInt8] = []
        guard PercentCoding.decode(bytes, in: range, plusIsSpace: true, into: &out) else { return nil }
        return String(utf8: out.span)
    }
}

extension Span<UInt8> {
    /// Whether there is nothing in it to decode.
    fileprivate func isPlain(in range: Range<Int>) -> Bool {
        for index in range where self[index] == UInt8(ascii: "%") || self[index] == UInt8(ascii: "+") { return false }
        return true
    }
}
