internal import COpenSSL

/// A hash that only the holder of a key can compute (RFC 2104).
package enum HMAC {
    package static func code(of message: [UInt8], key: [UInt8], using digest: Digest = .sha256) -> [UInt8] {
        // OpenSSL reads a nil pointer as "the key of last time", and an empty array may lend one.
        let padded = key.isEmpty ? [0] : key
        var code = [UInt8](repeating: 0, count: digest.byteCount)
        let method = unsafe digest == .sha1 ? EVP_sha1() : EVP_sha256()
        let result = unsafe COpenSSL.HMAC(
            method, padded, Int32(clamping: key.count), message, message.count, &code, nil)
        precondition(unsafe result != nil, "OpenSSL has no memory for an HMAC")
        return code
    }

    package static func code(of text: String, key: [UInt8], using digest: Digest = .sha256) -> [UInt8] {
        self.code(of: Array(text.utf8), key: key, using: digest)
    }
}
