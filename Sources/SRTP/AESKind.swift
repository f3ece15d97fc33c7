internal import Bytes
internal import COpenSSL
internal import CSRTP

/// The kinds of AES that SRTP needs: counter mode, of which keys are also made of others, and the one that knows what was
/// changed on the way.
@safe enum AESKind: CaseIterable {
    case counter128, counter256, gcm128, gcm256

    var hasTag: Bool { self == .gcm128 || self == .gcm256 }
    var keyLength: Int { self == .counter128 || self == .gcm128 ? 16 : 32 }
    var saltLength: Int { self.hasTag ? 12 : 14 }

    var id: srtp_cipher_type_id_t {
        switch self {
        case .counter128: srtp_cipher_type_id_t(SRTP_AES_ICM_128)
        case .counter256: srtp_cipher_type_id_t(SRTP_AES_ICM_256)
        case .gcm128: srtp_cipher_type_id_t(SRTP_AES_GCM_128)
        case .gcm256: srtp_cipher_type_id_t(SRTP_AES_GCM_256)
        }
    }

    /// By the length of a key with its salt, which is different for each.
    init?(length: Int32) {
        guard let kind = Self.allCases.first(where: { $0.keyLength + $0.saltLength == Int(length) }) else { return nil }
        self = kind
    }

    /// Looked up once for the program: looking it up takes as long as a packet.
    var function: OpaquePointer? {
        switch self {
        case .counter128: unsafe Self.functions.counter128
        case .counter256: unsafe Self.functions.counter256
        case .gcm128: unsafe Self.functions.gcm128
        case .gcm256: unsafe Self.functions.gcm256
        }
    }

    // Made once for the program, never changed after.
    nonisolated(unsafe) private static let functions = (
        counter128: unsafe EVP_CIPHER_fetch(nil, "AES-128-CTR", nil),
        counter256: unsafe EVP_CIPHER_fetch(nil, "AES-256-CTR", nil),
        gcm128: unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil),
        gcm256: unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    )
}

// MARK: - What it has to come to

/// Something that is known about a cipher, as libsrtp wants to be shown it.
struct AESProof {
    let key: String
    let vector: String
    let plain: String
    let secret: String
    var open = ""
    var tagLength = 0
}

extension AESKind {
    /// Counter mode from RFC 3711 B.2 and RFC 6188 §7.1, GCM from McGrew and Viega's test cases 4 and 16; a GCM key has a salt
    /// behind it that nothing depends on here.
    var proof: AESProof {
        switch self {
        case .counter128:
            AESProof(
                key: "2b7e151628aed2a6abf7158809cf4f3cf0f1f2f3f4f5f6f7f8f9fafbfcfd", vector: Self.zeros,
                plain: Self.zeros,
                secret: "e03ead0935c95e80e166b16dd92b4eb4")
        case .counter256:
            AESProof(
                key: "57f82fe3613fd170a85ec93c40b1f0922ec4cb0dc025b58272147cc438944a98f0f1f2f3f4f5f6f7f8f9fafbfcfd",
                vector: Self.zeros, plain: Self.zeros, secret: "92bdd28a93c3f52511c677d08b5515a4")
        case .gcm128:
            AESProof(
                key: Self.galoisKey + Self.salt, vector: Self.galoisVector, plain: Self.galoisPlain,
                secret: """
                    42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b\
                    396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47
                    """, open: Self.galoisOpen, tagLength: 16)
        case .gcm256:
            AESProof(
                key: Self.galoisKey + Self.galoisKey + Self.salt, vector: Self.galoisVector, plain: Self.galoisPlain,
                secret: """
                    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e\
                    6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b
                    """, open: Self.galoisOpen, tagLength: 16)
        }
    }

    private static let zeros = String(repeating: "0", count: 32)
    private static let salt = String(repeating: "0", count: 24)
    private static let galoisKey = "feffe9928665731c6d6a8f9467308308"
    private static let galoisVector = "cafebabefacedbaddecaf888"
    private static let galoisOpen = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
    private static let galoisPlain = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657\
        ba637b39
        """
}
