/// SHA-1 (RFC 3174), for the one place where WebSocket asks for it.
///
/// The hash of a handshake's key shows that a server read the request as a WebSocket request; it keeps no
/// secret, so the weakness of SHA-1 does not matter there. Nothing else may use it, which is why it is no
/// part of the rooms that deal with secrets.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let padded = self.padded(message)
        for start in stride(from: 0, to: padded.count, by: 64) { self.mix(padded[start..<(start + 64)], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - $0 * 8)) } }
    }

    /// A one bit, zeros, and the length in bits, up to a multiple of 64 bytes.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        return padded
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        let words = self.schedule(block)
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (round, word) in words.enumerated() {
            let (choice, constant) = self.choice(round, b, c, d)
            let next = self.rotate(a, 5) &+ choice &+ e &+ constant &+ word
            (a, b, c, d, e) = (next, a, self.rotate(b, 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
        for index in 16..<80 {
            words[index] = self.rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
        }
        return words
    }

    private static func choice(_ round: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> (UInt32, UInt32) {
        switch round / 20 {
        case 0: ((b & c) | (~b & d), 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
    }

    private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
