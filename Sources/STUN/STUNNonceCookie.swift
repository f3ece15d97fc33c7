internal import Bytes

/// What a server can do beyond the old rules, said inside of its nonce where it cannot be stripped on the way
/// without breaking the nonce (RFC 8489 §9.2).
package struct STUNSecurityFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let passwordAlgorithms = Self(rawValue: 1)
    package static let usernameAnonymity = Self(rawValue: 2)

    private static let cookie = Array("obMatJos2".utf8)

    /// Of a nonce without the cookie: nothing.
    package init(ofNonce nonce: String) {
        let bytes = Array(nonce.utf8.prefix(Self.cookie.count + 4))
        guard bytes.count == Self.cookie.count + 4, bytes.starts(with: Self.cookie),
            let bits = try? Base64.decode(Array(bytes.dropFirst(Self.cookie.count)))
        else {
            self = []
            return
        }
        let flags = bits.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // The registry counts its bits from the left (§18.1), the RFC's own example in B.1 from the right, and servers
        // follow either. The others of the 24 have no meaning, so both can be heard.
        self = Self(rawValue: flags & 3).union(flags & 0x80_0000 != 0 ? .passwordAlgorithms : [])
            .union(flags & 0x40_0000 != 0 ? .usernameAnonymity : [])
    }

    /// A nonce that says so, made of one that does not.
    package func nonce(_ rest: String) -> String {
        let bytes = [UInt8](arrayLiteral: 0, 0, UInt8(truncatingIfNeeded: self.rawValue & 3))
        return String(decoding: Self.cookie, as: UTF8.self) + Base64.encode(bytes) + rest
    }
}
