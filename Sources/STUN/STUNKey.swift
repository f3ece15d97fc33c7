package import Hashing

/// What two sides share who sign their messages to each other, prepared for many of them.
package struct STUNKey: Sendable {
    package let sha1: HMACKey
    package let sha256: HMACKey

    package init(_ key: [UInt8]) {
        self.sha1 = HMACKey(key, using: .sha1)
        self.sha256 = HMACKey(key, using: .sha256)
    }

    /// Of a password that lives as long as one session, as in ICE (RFC 8489 §9.1.1).
    package init(shortTerm password: String) {
        self.init(Array(password.utf8))
    }

    /// Of an account at a server (RFC 8489 §9.2.2).
    ///
    /// The texts may be spelled in any way; the key is that of the one spelling (`OpaqueString`).
    package init(
        longTerm username: String, realm: String, password: String, algorithm: STUNPasswordAlgorithm = .md5
    ) {
        let text = [username, realm, password].map(OpaqueString.prepared).joined(separator: ":")
        switch algorithm {
        case .md5: self.init(MD5.hash(text))
        case .sha256: self.init(Digest.sha256.hash(text))
        }
    }
}

/// How a long-term password becomes a key (RFC 8489 §18.5).
package enum STUNPasswordAlgorithm: UInt16, Hashable, Sendable, CaseIterable {
    case md5 = 1
    case sha256 = 2
}

/// A name that only those recognise who know it already (RFC 8489 §14.4).
package enum STUNUserHash {
    package static func of(_ username: String, realm: String) -> [UInt8] {
        Digest.sha256.hash("\(OpaqueString.prepared(username)):\(OpaqueString.prepared(realm))")
    }
}

enum STUNFingerprint {
    /// Of all that comes before the attribute, with a header that counts it.
    static func of(_ bytes: Span<UInt8>) -> UInt32 { Checksum.crc32(bytes) ^ 0x5354_554E }
}
