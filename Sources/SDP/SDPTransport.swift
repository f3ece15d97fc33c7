internal import Bytes

// Attributes about the way media takes, and how it is kept secret on it.

/// The name of one side of an ICE session (RFC 8839 §5.4).
package struct SDPUsernameFragment: SDPAttribute {
    package static let name = "ice-ufrag"
    package let value: String

    package init?(_ value: Substring) {
        guard value.isICEText(4...256) else { return nil }
        self.value = String(value)
    }
}

/// The password of one side of an ICE session (RFC 8839 §5.4).
package struct SDPPassword: SDPAttribute {
    package static let name = "ice-pwd"
    package let value: String

    package init?(_ value: Substring) {
        guard value.isICEText(22...256) else { return nil }
        self.value = String(value)
    }
}

/// What the certificate of the other side comes to under a hash function (RFC 8122 §5).
package struct SDPFingerprint: SDPAttribute {
    package static let name = "fingerprint"
    /// In lower case: `sha-256` and others.
    package let algorithm: String
    package let digest: [UInt8]

    package init(_ algorithm: String, _ digest: [UInt8]) {
        self.algorithm = algorithm.lowercased()
        self.digest = digest
    }

    package init?(_ value: Substring) {
        let words = value.words()
        guard words.count == 2, words[0].isToken else { return nil }
        let pairs = words[1].parts(between: UInt8(ascii: ":"))
        guard pairs.allSatisfy({ $0.utf8.count == 2 }), let digest = try? Hex.decode(pairs.joined()) else { return nil }
        let algorithm = words[0].lowercased()
        guard !digest.isEmpty, Self.lengths[algorithm, default: digest.count] == digest.count else { return nil }
        self.init(algorithm, digest)
    }

    private static let lengths = ["sha-1": 20, "sha-224": 28, "sha-256": 32, "sha-384": 48, "sha-512": 64]

    /// `AB:CD:…`, which is how other rooms have it.
    package var digits: String { Hex.fingerprint(self.digest) }

    package var value: String { "\(self.algorithm) \(self.digits)" }
}

/// Who begins with DTLS (RFC 4145 §4, RFC 8842 §5).
package enum SDPSetup: String, SDPAttribute, CaseIterable {
    /// The other side may choose. Only an offer may say so.
    case either = "actpass"
    /// Begins.
    case active
    /// Waits.
    case passive
    /// Leaves things as they are.
    case hold = "holdconn"

    package static var name: String { "setup" }

    package init?(_ value: Substring) {
        self.init(rawValue: String(value))
    }

    package var value: String { self.rawValue }
}

/// The name of a section (RFC 5888 §4).
package struct SDPMediaID: SDPAttribute {
    package static let name = "mid"
    package let value: String

    package init?(_ value: Substring) {
        // It has to fit into an extension of RTP's header of the short form (RFC 9143 §15.1), but others use longer ones.
        guard value.isToken, value.utf8.count <= 255 else { return nil }
        self.value = String(value)
    }
}

/// Sections that belong together (RFC 5888 §5).
package struct SDPGroup: SDPAttribute {
    package static let name = "group"
    /// `BUNDLE`, `LS` and others.
    package let semantics: String
    package let mediaIDs: [String]

    package init(_ semantics: String, _ mediaIDs: [String]) {
        self.semantics = semantics
        self.mediaIDs = mediaIDs
    }

    package init?(_ value: Substring) {
        // One stack leaves a space behind an empty group.
        let words = value.words().filter { !$0.isEmpty }
        guard let semantics = words.first, words.allSatisfy(\.isToken) else { return nil }
        self.init(String(semantics), words.dropFirst().map { String($0) })
    }

    package var value: String { ([self.semantics] + self.mediaIDs).joined(separator: " ") }
}
