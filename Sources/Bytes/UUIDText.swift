/// A random UUID (RFC 9562 §5.4) in lower case.
package enum UUIDText {
    package static func make(using random: inout some RandomNumberGenerator) -> String {
        self.write((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Of 16 bytes that are random, or look so. What says that it is a UUID takes the place of six bits.
    package static func write(_ bytes: [UInt8]) -> String {
        precondition(bytes.count == 16, "a UUID has 16 bytes, not \(bytes.count)")
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.encode(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
