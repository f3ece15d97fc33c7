internal import COpenSSL

/// Compares secrets in a time that does not tell where they differ.
package enum ConstantTime {
    /// The lengths are not kept secret.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }

    package static func areEqual(_ left: String, _ right: String) -> Bool {
        self.areEqual(Array(left.utf8), Array(right.utf8))
    }
}
