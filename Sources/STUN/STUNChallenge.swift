internal import Bytes

/// What a server wants to see before it serves: the realm, its nonce, and how passwords may become keys
/// (RFC 8489 §9.2.4).
package struct STUNChallenge: Hashable, Sendable {
    package let realm: String
    package let nonce: String
    /// In the server's order; empty for a server of the old rules.
    package let algorithms: [UInt16]
    package let features: STUNSecurityFeatures

    package init(realm: String, nonce: String, algorithms: [UInt16] = []) {
        self.realm = realm
        self.nonce = nonce
        self.algorithms = algorithms
        self.features = STUNSecurityFeatures(ofNonce: nonce)
    }

    /// From an answer with 401 or 438. Nil when something is missing, also when the nonce says that algorithms were
    /// offered and they are not there: they were stripped on the way (§9.2.5).
    package init?(_ message: STUNMessage, formerRealm: String? = nil) {
        guard let realm = message.text(of: .realm) ?? formerRealm, let nonce = message.text(of: .nonce) else {
            return nil
        }
        let algorithms = message.passwordAlgorithms
        self.init(realm: realm, nonce: nonce, algorithms: algorithms ?? [])
        if self.features.contains(.passwordAlgorithms) && self.algorithms.isEmpty { return nil }
    }

    /// The strongest of those both sides know; nil when there is none.
    package var algorithm: STUNPasswordAlgorithm? {
        guard !self.algorithms.isEmpty else { return .md5 }
        let known = self.algorithms.compactMap(STUNPasswordAlgorithm.init(rawValue:))
        return known.contains(.sha256) ? .sha256 : known.first
    }
}

extension STUNMessage {
    /// The numbers in PASSWORD-ALGORITHMS, in their order (RFC 8489 §14.11).
    package var passwordAlgorithms: [UInt16]? {
        guard let value = self.value(of: .passwordAlgorithms) else { return nil }
        return Self.algorithms(in: value)
    }

    /// The one the client chose (§14.12).
    package var passwordAlgorithm: UInt16? {
        guard let value = self.value(of: .passwordAlgorithm) else { return nil }
        return Self.algorithms(in: value)?.first
    }

    /// A number, a length and parameters padded to four bytes, again and again. No algorithm has parameters yet.
    private static func algorithms(in value: Span<UInt8>) -> [UInt16]? {
        var numbers: [UInt16] = []
        var offset = 0
        while offset < value.count {
            guard value.count - offset >= 4, numbers.count < 16 else { return nil }
            numbers.append(value.bigEndian(at: offset))
            offset += 4 + (Int(value.bigEndian(at: offset + 2, as: UInt16.self)) + 3) & ~3
        }
        return offset == value.count ? numbers : nil
    }
}

extension STUNWriter {
    /// What a server offers, or a client repeats so that both know it arrived unchanged.
    package mutating func append(passwordAlgorithms numbers: [UInt16]) {
        var value = ByteWriter(reservingCapacity: numbers.count * 4)
        for number in numbers {
            value.write(number)
            value.write(UInt16(0))
        }
        self.append(.passwordAlgorithms, value.bytes.span)
    }

    package mutating func append(passwordAlgorithm algorithm: STUNPasswordAlgorithm) {
        self.append(.passwordAlgorithm, UInt32(algorithm.rawValue) << 16)
    }
}
