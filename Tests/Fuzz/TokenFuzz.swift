import Bytes
import Secure

/// A stranger's token is refused, or it is one that was signed here.
enum TokenFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let parts = input.bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        // Two parts in clear, so that the search need not find Base64 first.
        let text =
            input.control & 1 == 0
            ? String(decoding: input.bytes, as: UTF8.self)
            : parts.map { Base64.encode(Array($0), as: .url) }.joined(separator: ".") + ".AAAA"
        guard let token = try? JSONWebToken(parsing: text) else { return }
        demand(text.utf8.count <= JSONWebToken.maximumLength, "a token is too long")
        guard let key = self.key else { return }
        demand(!token.isSigned(by: key), "a token was forged")
        _ = (token.keyID, token.type)
    }

    private static let key = try? SigningKey(
        id: "k", sharedSecret: Array("a secret that nobody guesses, of 40 bytes!".utf8))
}
