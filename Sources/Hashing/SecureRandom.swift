internal import COpenSSL

/// Unpredictable random numbers, for keys, salts and names that are secrets.
package struct SecureRandom: RandomNumberGenerator, Sendable {
    package init() {}

    package mutating func next() -> UInt64 {
        self.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let code = unsafe RAND_bytes(&bytes, Int32(count))
        // A machine without a source of randomness can keep no secret, so nothing may go on.
        precondition(code == 1, "the system gives no random numbers")
        return bytes
    }
}
