/// A cryptographic hash function.
package enum Digest: Hashable, Sendable, CaseIterable {
    /// Only where a protocol of others demands it.
    case sha1
    case sha256

    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        }
    }

    package func hash(_ bytes: [UInt8]) -> [UInt8] {
        // Not by SHA1() or SHA256(): those look their algorithm up anew each time.
        var stream = DigestStream(self)
        stream.update(bytes.span)
        return stream.value
    }

    package func hash(_ text: String) -> [UInt8] { self.hash(Array(text.utf8)) }
}
