internal import COpenSSL
internal import Hashing

/// Seals a message for one device, so that the push service in between cannot read it (RFC 8291, in the form of RFC 8188).
package struct PushCipher: Sendable {
    private let publicKey: P256Key
    private let secret: [UInt8]

    package static let secretLength = 16
    /// As much as every push service takes, with 103 bytes for what is around it (RFC 8291 §4).
    package static let maximumPlainBytes = 3993
    /// 4096, big-endian.
    private static let recordSize: [UInt8] = [0, 0, 16, 0]
    private static let saltLength = 16
    private static let tagLength = 16

    /// - Parameters:
    ///   - publicKey: the device's point (`p256dh`).
    ///   - secret: the device's 16 random bytes (`auth`).
    package init(publicKey: [UInt8], secret: [UInt8]) throws(SecureError) {
        guard secret.count == Self.secretLength else {
            throw SecureError("reading a push subscription", reason: "its secret must have 16 bytes")
        }
        self.publicKey = try P256Key(publicPoint: publicKey)
        self.secret = secret
    }

    /// A message sealed twice looks different each time.
    package func seal(_ message: [UInt8]) throws(SecureError) -> [UInt8] {
        var random = SecureRandom()
        return try self.seal(message, from: P256Key(), salt: random.bytes(Self.saltLength))
    }

    func seal(_ message: [UInt8], from sender: P256Key, salt: [UInt8]) throws(SecureError) -> [UInt8] {
        guard message.count <= Self.maximumPlainBytes else {
            throw SecureError("sealing a push", reason: "it has more than \(Self.maximumPlainBytes) bytes")
        }
        let shared = try sender.agree(with: self.publicKey)
        let points = self.publicKey.publicPoint + sender.publicPoint
        let material = Self.derive(shared, salt: self.secret, Array("WebPush: info\0".utf8) + points, 32)
        let key = Self.derive(material, salt: salt, Array("Content-Encoding: aes128gcm\0".utf8), 16)
        let nonce = Self.derive(material, salt: salt, Array("Content-Encoding: nonce\0".utf8), 12)
        // One record, the last: its padding begins with 2 (RFC 8188 §2).
        let plain = message + [2]
        var sealed = [UInt8](repeating: 0, count: plain.count + Self.tagLength)
        guard unsafe parley_aes128gcm_seal(key, nonce, plain, Int32(plain.count), &sealed) == 1 else {
            throw SecureError("sealing a push")
        }
        return Self.header(salt, sender.publicPoint) + sealed
    }

    private static func header(_ salt: [UInt8], _ point: [UInt8]) -> [UInt8] {
        salt + self.recordSize + [UInt8(point.count)] + point
    }

    /// HKDF (RFC 5869) of at most one block.
    private static func derive(_ material: [UInt8], salt: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
        let key = HMAC.code(of: material, key: salt)
        return Array(HMAC.code(of: info + [1], key: key).prefix(count))
    }
}
