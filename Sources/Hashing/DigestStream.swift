internal import COpenSSL

/// A hash over bytes that come piece by piece. A copy goes on by itself from where it was made.
package struct DigestStream: Sendable {
    package let digest: Digest
    package private(set) var count = 0
    private var state: parley_digest

    package init(_ digest: Digest) {
        var state = parley_digest()
        unsafe parley_digest_begin(&state, digest == .sha256 ? 1 : 0)
        self.digest = digest
        self.state = state
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        var state = self.state
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe parley_digest_update(&state, bytes.baseAddress, bytes.count)
        }
        self.state = state
        self.count += bytes.count
    }

    /// Of all that came so far.
    package var value: [UInt8] {
        var value = [UInt8](repeating: 0, count: self.digest.byteCount)
        var state = self.state
        unsafe parley_digest_value(&state, &value)
        return value
    }
}
