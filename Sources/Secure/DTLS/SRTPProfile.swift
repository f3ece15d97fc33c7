internal import COpenSSL

/// How SRTP protects packets (RFC 5764 §4.1.2, RFC 7714 §14.2), the best first.
package enum SRTPProfile: UInt, Hashable, Sendable, CaseIterable {
    case aeadAES128GCM = 0x0007
    case aeadAES256GCM = 0x0008
    case aes128SHA1Tag80 = 0x0001

    /// OpenSSL's name for it.
    var name: String {
        switch self {
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
        case .aes128SHA1Tag80: "SRTP_AES128_CM_SHA1_80"
        }
    }

    /// IANA's name for it (RFC 5764, 7714).
    var registeredName: String { self == .aes128SHA1Tag80 ? "SRTP_AES128_CM_HMAC_SHA1_80" : self.name }

    package var keyLength: Int { self == .aeadAES256GCM ? 32 : 16 }
    package var saltLength: Int { self == .aes128SHA1Tag80 ? 14 : 12 }
}

/// What both sides of a DTLS session have in common for SRTP: a master key with its salt for each direction.
package struct SRTPKeys: Hashable, Sendable {
    /// A key and the salt behind it, as libraries take them.
    package typealias Master = [UInt8]

    package let profile: SRTPProfile
    package let outgoing: Master
    package let incoming: Master

    package init(_ profile: SRTPProfile, outgoing: Master, incoming: Master) {
        self.profile = profile
        self.outgoing = outgoing
        self.incoming = incoming
    }

    /// Takes apart what the exporter gives: both keys, then both salts, the client's first (RFC 5764 §4.2).
    init(_ profile: SRTPProfile, exported: [UInt8], isClient: Bool) {
        let (key, salt) = (profile.keyLength, profile.saltLength)
        let client = exported[..<key] + exported[(2 * key)..<(2 * key + salt)]
        let server = exported[key..<(2 * key)] + exported[(2 * key + salt)...]
        self.profile = profile
        self.outgoing = Array(isClient ? client : server)
        self.incoming = Array(isClient ? server : client)
    }

    static func exportedLength(_ profile: SRTPProfile) -> Int { 2 * (profile.keyLength + profile.saltLength) }
}
