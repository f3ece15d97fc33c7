internal import COpenSSL

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
        var digest = [UInt8](repeating: 0, count: self.byteCount)
        switch self {
        case .sha1: unsafe SHA1(bytes, bytes.count, &digest)
        case .sha256: unsafe SHA256(bytes, bytes.count, &digest)
        }
        return digest
    }

    package func hash(_ text: String) -> [UInt8] { self.hash(Array(text.utf8)) }
}
