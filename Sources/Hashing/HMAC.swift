/// A hash that only the holder of a key can compute (RFC 2104). Who uses one key again and again keeps an `HMACKey`.
package enum HMAC {
    package static func code(of message: [UInt8], key: [UInt8], using digest: Digest = .sha256) -> [UInt8] {
        HMACKey(key, using: digest).code(of: message)
    }

    package static func code(of text: String, key: [UInt8], using digest: Digest = .sha256) -> [UInt8] {
        self.code(of: Array(text.utf8), key: key, using: digest)
    }
}
