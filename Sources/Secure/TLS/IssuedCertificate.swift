package import Vocabulary

/// A certificate from an authority, with its chain and its key: what an order ends with, and what is kept.
package struct IssuedCertificate: Sendable {
    /// The key, the certificate, and those of the authorities.
    package let pem: [UInt8]
    private let own: SelfSignedIdentity

    package static let maximumBytes = 128 << 10
    private static let maximumCertificates = 10

    /// What an authority sent, for a key of ours.
    package init(chain: [UInt8], key: [UInt8]) throws(SecureError) {
        let heads = chain.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "-----BEGIN ".utf8) }
        guard (1...Self.maximumCertificates).contains(heads.count),
            heads.allSatisfy({ $0.starts(with: "-----BEGIN CERTIFICATE-----".utf8) })
        else {
            throw SecureError(
                "reading a certificate chain", reason: "it is no list of 1 to \(Self.maximumCertificates) certificates")
        }
        try self.init(pem: key + chain)
    }

    /// What `pem` said.
    package init(pem: [UInt8]) throws(SecureError) {
        self.pem = pem
        // The first certificate has to be that of the key.
        self.own = try SelfSignedIdentity(pem: pem)
        // And the others have to be some.
        _ = try TLSContext(self)
    }

    package func covers(_ name: String) -> Bool { self.own.covers(name) }
    package var notBefore: WallTime { self.own.notBefore }
    package var notAfter: WallTime { self.own.notAfter }
    package var fingerprint: String { self.own.fingerprint }
}
