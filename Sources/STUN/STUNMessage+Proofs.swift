internal import Bytes
internal import Hashing

extension STUNMessage {
    /// Which of the two codes a message is signed with.
    package enum Integrity: Hashable, Sendable { case sha1, sha256 }

    /// Whether the holder of the key wrote everything that can be read here. Of two codes the stronger one counts.
    package func isAuthentic(_ key: STUNKey) -> Bool {
        self.isAuthentic(key, by: self.integritySHA256 != 0 ? .sha256 : .sha1)
    }

    package func isAuthentic(_ key: STUNKey, by integrity: Integrity) -> Bool {
        switch integrity {
        case .sha1: self.integrity != 0 && self.agrees(key.sha1, at: self.integrity)
        case .sha256: self.integritySHA256 != 0 && self.agrees(key.sha256, at: self.integritySHA256)
        }
    }

    package func has(_ integrity: Integrity) -> Bool {
        switch integrity {
        case .sha1: self.integrity != 0
        case .sha256: self.integritySHA256 != 0
        }
    }

    /// The code covers what comes before it, and a header that counts nothing behind it (RFC 8489 §14.5).
    private func agrees(_ key: HMACKey, at offset: Int) -> Bool {
        let start = offset + 4
        let end = start + Int(self.bytes.bigEndian(at: offset + 2, as: UInt16.self))
        let length = end - STUNHeader.length
        let head: InlineArray<4, UInt8> = [
            self.bytes[0], self.bytes[1], UInt8(length >> 8), UInt8(truncatingIfNeeded: length),
        ]
        let code = key.code(of: head.span, self.bytes.extracting(4..<offset))
        return code.begins(with: self.bytes.extracting(start..<end))
    }

    /// Whether the checksum is there and right, so that this is STUN and no accident.
    package var hasRightFingerprint: Bool {
        guard self.fingerprint != 0 else { return false }
        let sum = STUNFingerprint.of(self.bytes.extracting(0..<self.fingerprint))
        return self.bytes.bigEndian(at: self.fingerprint + 4) == sum
    }
}
