/// The SHA-256 of what is in a file: the same bytes have the same name, whatever their origin.
package struct ContentHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let byteCount = 32

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads what `text` writes.
    package init?(_ text: String) {
        let digits = text.utf8.map { Self.digits.firstIndex(of: $0) }
        guard digits.count == Self.byteCount * 2 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.bytes = bytes
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// 64 hexadecimal digits.
    package var text: String {
        String(decoding: self.bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
